import { createPlainjob } from './plainjob.ts'

/** plainjob as fast to start a job as it can be made. */
export const createContender = createPlainjob({ pollIntervall: 10 })
