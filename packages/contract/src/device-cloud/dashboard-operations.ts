import type { Operation } from '../operation.ts'
import { apiTokenOperations } from './api-token-operations.ts'
import { auditOperations } from './audit-operations.ts'
import { enrollmentOperations } from './enrollment-operations.ts'
import { fileOperations } from './file-operations.ts'
import { ownDeviceOperations } from './own-device-operations.ts'
import { ownerOperations } from './owner-operations.ts'
import { savedSearchOperations } from './saved-search-operations.ts'
import { searchOperations } from './search-operations.ts'
import { webhookOperations } from './webhook-operations.ts'

/** What users call. */
export const dashboardOperations = {
  ...ownDeviceOperations,
  ...searchOperations,
  ...savedSearchOperations,
  ...fileOperations,
  ...auditOperations,
  ...apiTokenOperations,
  ...enrollmentOperations,
  ...ownerOperations,
  ...webhookOperations,
} as const satisfies Record<string, Operation>
