import type { Operation } from '@homeward/contract'
import { deviceCloudOperations, type DeviceAccess } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import { nameOfAccess } from '../access/device-access.ts'
import { limitStore } from '../access/limit-store.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { createAuditOperations } from '../audit/audit-operations.ts'
import { createCatalogRemoval } from '../catalogs/catalog-operations.ts'
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

/**
 * Puts together what users do. What they are given has been checked. A caller that reaches only some devices has the same
 * operations over a store that holds only those.
 */
export function createUserOperations(context: CloudServices) {
  const operations = operationsOver(context)
  const limited = new Map<string, typeof operations>()

  function operationsFor({ userId }: UserCall, access: DeviceAccess): typeof operations {
    const name = JSON.stringify([userId, nameOfAccess(access)])
    const known = limited.get(name)
    if (known !== undefined) return known
    if (limited.size >= maxLimited) limited.delete(limited.keys().next().value!)
    const created = operationsOver(limitServices(context, userId, access))
    limited.set(name, created)
    return created
  }

  return mapOperations(operations, (id, operate) => (call, ...given) => {
    const { access, idempotencyKey: key } = call
    if (access === undefined) return operate(call, ...given)
    if (beyondAccess.has(id)) return Promise.reject(beyondFilter())
    // Under the same key callers of other devices do other things.
    const idempotencyKey = key === undefined ? undefined : `${nameOfAccess(access)} ${key}`
    const limitedOperate = operationsFor(call, access)[id] as Operate
    return limitedOperate({ ...call, idempotencyKey }, ...given)
  })
}

/** Callers with a filter of which the operations are remembered. */
const maxLimited = 1000

/** What changes which devices there are, or erases all. */
const beyondAccess: ReadonlySet<string> = new Set([
  'registerDevice',
  'findEnrollment',
  'approveEnrollment',
  'denyEnrollment',
  'createEnrollmentToken',
  'revokeEnrollmentToken',
  'eraseOwner',
])

const beyondFilter = () =>
  new HttpError(403, {
    error: 'Forbidden',
    message:
      'Calling the operation failed: the API token has a filter, so it reaches only devices that exist. Use a token without a filter.',
  })

/** The same services over a store that holds only some devices. Quotas still count everything, except when they are shown. */
function limitServices(context: CloudServices, owner: string, access: DeviceAccess): CloudServices {
  const store = limitStore(context.store, owner, access, context.departures)
  const list = () => context.quotas.list(owner, store)
  return { ...context, store, quotas: { ...context.quotas, list } }
}

function operationsOver(context: CloudServices) {
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
    ...createCatalogRemoval(context),
  }
  // An export has the catalogs themselves, not answers from them.
  const stored = createSearchOperations({ ...context, catalogAnswers: undefined })
  return withAudit({ ...lists, ...createOwnerOperations(context, { ...lists, ...stored }) }, context.audit)
}

type Operate = (call: UserCall, ...given: readonly unknown[]) => Promise<unknown>

/** The same operations; refusals are recorded as their rows say (C24). */
function withAudit<Operations extends object>(operations: Operations, audit: AuditLog): Operations {
  const table: Readonly<Record<string, Operation>> = deviceCloudOperations
  return mapOperations(operations, (id, operate) => {
    const operation = table[id]
    if (operation?.audit === undefined || operation.audit === 'none') return operate
    return (call, ...given) =>
      audit.watch(call, operation, toFields(operation, given), () => operate(call, ...given))
  })
}

/** Puts something around each operation. */
function mapOperations<Operations extends object>(
  operations: Operations,
  change: (id: keyof Operations & string, operate: Operate) => Operate,
): Operations {
  const changed = Object.entries(operations).map(
    ([id, each]) => [id, change(id as keyof Operations & string, each as Operate)] as const, // each takes what its row says
  )
  return Object.fromEntries(changed) as unknown as Operations // the same names, and functions that give the same
}

/** What was given, as in a request: the id of the path, then the body. */
function toFields({ params }: Operation, [first, second]: readonly unknown[]): object {
  return params ? { params: { id: first }, body: second } : { body: first }
}
