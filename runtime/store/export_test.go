package store

// Compacted waits until what was trimmed is given to the disk, where that has begun.
func (s *Store) Compacted() { s.compact.running.Wait() }
