export {
  openConnection,
  runPlan,
  type Connection,
  type ConnectionOptions,
  type SqliteStatement,
} from './connection.ts'
export { createGroupReader, type GroupReader } from './group-reader.ts'
export { createGroupWriter, type GroupWriter, type WriterEvents } from './group-writer.ts'
export {
  createIdleCheckpoints,
  type IdleCheckpoints,
  type IdleCheckpointsOptions,
} from './idle-checkpoints.ts'
export { migrate } from './migrate.ts'
export { createSqliteBuilder } from './sqlite-builder.ts'
export { toSqliteFailure } from './to-sqlite-failure.ts'
