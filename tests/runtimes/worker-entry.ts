import { deviceCloudCases, runCases } from './device-cloud-cases.ts'

// For workerd.
export default { fetch: async () => Response.json(await runCases(deviceCloudCases)) }
