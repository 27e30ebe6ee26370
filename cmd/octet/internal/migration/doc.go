// Package migration has the programs that docs/MIGRATION.md compares octet with other
// packages by, as tests.
package migration
