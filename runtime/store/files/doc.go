// Package files reads what is in a store's folder, below the database: which files there are, by
// their names alone, before Pebble is asked. Pebble begins a new database wherever it finds no
// manifest marker, and deletes the tables and logs that the new one does not know.
package files
