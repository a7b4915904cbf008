import { auditCases } from './audit-cases.ts'
import { catalogCases } from './catalog-cases.ts'
import { deliveryCases } from './delivery-cases.ts'
import { deviceCases } from './device-cases.ts'
import { filterCases } from './filter-cases.ts'
import { enrollmentCases } from './enrollment-cases.ts'
import { enrollmentTokenCases } from './enrollment-token-cases.ts'
import { groupCases } from './group-cases.ts'
import { groupFilterCases } from './group-filter-cases.ts'
import { groupWorkCases } from './group-work-cases.ts'
import { keyCases } from './key-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { exactValueCases } from './exact-value-cases.ts'
import { pagingCases } from './paging-cases.ts'
import { presenceCases } from './presence-cases.ts'
import { quotaCases } from './quota-cases.ts'
import { retentionCases } from './retention-cases.ts'
import { savedSearchCases } from './saved-search-cases.ts'
import { searchCases } from './search-cases.ts'
import { storeCases } from './store-cases.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { updateCases } from './update-cases.ts'
import { tokenCases } from './token-cases.ts'
import { uploadCases } from './upload-cases.ts'
import { webhookCases } from './webhook-cases.ts'

/**
 * Conformance cases for a `CloudStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of cloudStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const cloudStoreConformance: readonly CloudStoreCase[] = [
  ...deviceCases,
  ...filterCases,
  ...updateCases,
  ...keyCases,
  ...presenceCases,
  ...searchCases,
  ...groupCases,
  ...groupFilterCases,
  ...groupWorkCases,
  ...savedSearchCases,
  ...uploadCases,
  ...leaseCases,
  ...auditCases,
  ...enrollmentCases,
  ...enrollmentTokenCases,
  ...tokenCases,
  ...webhookCases,
  ...deliveryCases,
  ...retentionCases,
  ...quotaCases,
  ...catalogCases,
  ...exactValueCases,
  ...pagingCases,
  ...storeCases,
]
