import type { Operation } from '@homeward/contract'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import type { AuditLog } from '../audit/audit-log.ts'
import { createAuditOperations } from '../audit/audit-operations.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { CloudServices } from './create-context.ts'
import { createDeviceKeys } from '../devices/device-keys.ts'
import { createDeviceOperations } from '../devices/device-operations.ts'
import { createEnrollmentDecisions } from '../enrollments/enrollment-decisions.ts'
import { createEnrollmentTokens } from '../enrollments/enrollment-tokens.ts'
import { createPresenceQueries } from '../devices/presence-queries.ts'
import { createDeviceQueries } from '../devices/device-queries.ts'
import { createSavedSearchOperations } from '../saved-searches/saved-search-operations.ts'
import { createSavedSearchRuns } from '../saved-searches/saved-search-runs.ts'
import { createGroupOperations } from '../searches/group-operations.ts'
import { createSearchOperations } from '../searches/search-operations.ts'
import { createOwnerOperations } from '../owners/owner-operations.ts'
import { createQuotaOperations } from '../limits/quota-operations.ts'
import { createTokenOperations } from '../tokens/token-operations.ts'
import { createFileDownload } from '../uploads/download-file.ts'
import { createUploadOperations } from '../uploads/upload-operations.ts'
import { createWebhookOperations } from '../webhooks/webhook-operations.ts'

/** What users do: the same calls over HTTP and from the host's own code. */
export type UserOperations = ReturnType<typeof createUserOperations>

/** Puts together what users do. What they are given has been checked. */
export function createUserOperations(context: CloudServices) {
  const lists = {
    ...createDeviceOperations(context),
    ...createDeviceQueries(context),
    ...createPresenceQueries(context),
    ...createDeviceKeys(context),
    ...createSearchOperations(context),
    ...createGroupOperations(context),
    ...createSavedSearchOperations(context),
    ...createSavedSearchRuns(context),
    ...createUploadOperations(context),
    ...createFileDownload(context),
    ...createAuditOperations(context),
    ...createEnrollmentDecisions(context),
    ...createEnrollmentTokens(context),
    ...createTokenOperations(context),
    ...createWebhookOperations(context),
    ...createQuotaOperations(context),
  }
  return withAudit({ ...lists, ...createOwnerOperations(context, lists) }, context.audit)
}

type Operate = (call: UserCall, ...given: readonly unknown[]) => Promise<unknown>

/** The same operations; refusals are recorded as their rows say (C24). */
function withAudit<Operations extends object>(operations: Operations, audit: AuditLog): Operations {
  const table: Readonly<Record<string, Operation>> = deviceCloudOperations
  const watched = Object.entries(operations).map(([id, each]) => {
    const operation = table[id]
    const operate = each as Operate // each takes what its row says
    if (operation?.audit === undefined || operation.audit === 'none') return [id, operate] as const
    const watch: Operate = (call, ...given) =>
      audit.watch(call, operation, toFields(operation, given), () => operate(call, ...given))
    return [id, watch] as const
  })
  return Object.fromEntries(watched) as unknown as Operations // the same names, and functions that give the same
}

/** What was given, as in a request: the id of the path, then the body. */
function toFields({ params }: Operation, [first, second]: readonly unknown[]): object {
  return params ? { params: { id: first }, body: second } : { body: first }
}
