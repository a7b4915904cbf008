import type { Level } from '../conformance-case.ts'
import type { DeviceCase } from './device-trial.ts'
import { documentCases } from './cases/document-cases.ts'
import { chunkCases } from './cases/chunk-cases.ts'
import { brokenAnswerCases } from './cases/broken-answer-cases.ts'
import { heartbeatCases } from './cases/heartbeat-cases.ts'
import { oddListCases } from './cases/odd-list-cases.ts'
import { oddFileCases } from './cases/odd-file-cases.ts'
import { outageCases } from './cases/outage-cases.ts'
import { redirectCases } from './cases/redirect-cases.ts'
import { searchCases } from './cases/search-cases.ts'
import { selectionCases } from './cases/selection-cases.ts'
import { uploadCases } from './cases/upload-cases.ts'
import { workCases } from './cases/work-cases.ts'

/** Every case of device agents, by level. */
export const deviceCases: Readonly<Record<Level, readonly DeviceCase[]>> = {
  core: [...heartbeatCases, ...searchCases, ...uploadCases],
  robust: [...brokenAnswerCases, ...outageCases, ...redirectCases, ...oddListCases, ...oddFileCases],
  chunked: chunkCases,
  selective: selectionCases,
  work: workCases,
  documents: documentCases,
  // An agent may send its catalog whenever it likes: only clouds have something to promise.
  catalog: [],
}
