import { onTermination } from '../program/on-termination.ts'
import { createEnrollment } from './enrollment.ts'
import { reportMissingRoots } from './missing-roots.ts'
import { readSettings } from '../settings/device-settings.ts'
import { startDeviceAgent } from './start-device-agent.ts'

const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`)

try {
  const settings = readSettings(process.env)
  const { roots, cloudUrl } = settings
  await reportMissingRoots(roots, log)
  log(`opens ${roots.join(', ')} to ${cloudUrl}. Ctrl-C ends it.`)
  const key = settings.apiKey
    ? { apiKey: settings.apiKey }
    : createEnrollment({ ...settings, log, show: (text) => console.log(text) })
  const onEnrollmentError = () => void running.close().finally(() => process.exit(1))
  const running = await startDeviceAgent({ ...settings, ...key, log, onEnrollmentError })
  onTermination(() => running.close())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
