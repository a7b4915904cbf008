export { emptySchema } from '../../../../../tests/postgres/empty-schema.ts'
