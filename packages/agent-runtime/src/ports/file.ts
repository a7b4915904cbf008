export type { FileReference } from '@homeward/contract/agent-platform'
