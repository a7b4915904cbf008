export {
  createIdleCheckpoints,
  type IdleCheckpoints,
  type IdleCheckpointsOptions,
} from './idle-checkpoints.ts'
export { type ConnectionOptions, openConnection } from './node-connection.ts'
