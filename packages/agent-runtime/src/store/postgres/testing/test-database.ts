export { createTestDatabase, type TestDatabase } from '../../../../../../tests/postgres/test-database.ts'
