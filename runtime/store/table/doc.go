// Package table reads the tables of a store's database block by block, below the database: it finds
// which blocks are not as they were written, and which keys they held.
package table
