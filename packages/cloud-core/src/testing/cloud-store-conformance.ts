import { auditCases } from './audit-cases.ts'
import { deviceCases } from './device-cases.ts'
import { keyCases } from './key-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { letterCases } from './letter-cases.ts'
import { pagingCases } from './paging-cases.ts'
import { searchCases } from './search-cases.ts'
import { storeCases } from './store-cases.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { uploadCases } from './upload-cases.ts'

/**
 * Everything that a `CloudStore` promises, as cases for any test runner.
 *
 * @example
 * for (const { name, run } of cloudStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const cloudStoreConformance: readonly CloudStoreCase[] = [
  ...deviceCases,
  ...keyCases,
  ...searchCases,
  ...uploadCases,
  ...leaseCases,
  ...auditCases,
  ...letterCases,
  ...pagingCases,
  ...storeCases,
]
