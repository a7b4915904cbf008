import { createAuditOperations } from './audit/audit-operations.ts'
import type { CloudContext } from './cloud-context.ts'
import { createDeviceKeys } from './devices/device-keys.ts'
import { createDeviceOperations } from './devices/device-operations.ts'
import { createSearchOperations } from './searches/search-operations.ts'
import { createFileDownload } from './uploads/download-file.ts'
import { createUploadOperations } from './uploads/upload-operations.ts'

/** What users do: the same calls over HTTP and from the host's own code. */
export type UserOperations = ReturnType<typeof createUserOperations>

/** Puts together what users do. What they are given has been checked. */
export function createUserOperations(context: CloudContext) {
  return {
    ...createDeviceOperations(context),
    ...createDeviceKeys(context),
    ...createSearchOperations(context),
    ...createUploadOperations(context),
    ...createFileDownload(context),
    ...createAuditOperations(context),
  }
}
