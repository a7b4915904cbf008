import { deviceCloudCases, runCases } from './device-cloud-cases.ts'

// For runtimes that are programs: the last line of the output is the outcome.
// oxlint-disable-next-line no-console -- the one way to say something that every runtime has
console.log(JSON.stringify(await runCases(deviceCloudCases)))
