import type { Level } from '../conformance-case.ts'
import { catalogCases } from './cases/catalog-cases.ts'
import { documentCases } from './cases/document-cases.ts'
import { chunkCases } from './cases/chunk-cases.ts'
import { deviceCases } from './cases/device-cases.ts'
import { limitCases } from './cases/limit-cases.ts'
import { keyCases } from './cases/key-cases.ts'
import { searchCases } from './cases/search-cases.ts'
import { selectionCases } from './cases/selection-cases.ts'
import { uploadCases } from './cases/upload-cases.ts'
import { workCases } from './cases/work-cases.ts'
import type { CloudCase } from './cloud-trial.ts'

/** Every case of clouds, by level. */
export const cloudCases: Readonly<Record<Level, readonly CloudCase[]>> = {
  core: [...deviceCases, ...searchCases, ...uploadCases],
  robust: [...keyCases, ...limitCases],
  chunked: chunkCases,
  selective: selectionCases,
  work: workCases,
  documents: documentCases,
  catalog: catalogCases,
}
