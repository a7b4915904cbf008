export {
  connect,
  type ConnectionDefaults,
  type Connections,
  type ConnectionSettings,
  type OwnConnection,
  type OwnConnectionLimits,
  type PooledConnection,
} from './connect.ts'
export { commitGroup, type GroupTransactionOptions, type DeferredSteps } from './group-transaction.ts'
export { createGroupWriter, type GroupWriter, type GroupWriterOptions } from './group-writer.ts'
export { begin, toLockNumber, type Locks } from './locks.ts'
export { migrate } from './migrate.ts'
export { openNotifications, type NotificationOptions, type Notifications } from './notifications.ts'
export { type SignalCodec } from './payloads.ts'
export { createPostgresBuilder } from './postgres-builder.ts'
export { createReader, type Read } from './reader.ts'
export {
  createRunStep,
  runPlan,
  settleAll,
  type PostgresStatement,
  type Queryable,
  type RunStep,
} from './session.ts'
export { classify, toInDoubtFailure, toPostgresFailure, type FailureClass } from './to-postgres-failure.ts'
export { useConnection } from './use-connection.ts'
export { createWriter, type Write, type WriterOptions } from './writer.ts'
