import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTermination } from '../on-termination.ts'
import { readSettings } from './settings.ts'
import { startDeviceAgent } from './start-device-agent.ts'

const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`)

try {
  const settings = readSettings(process.env)
  const { roots, cloudUrl } = settings
  for (const root of roots) {
    // A mount whose server is gone does not respond; the agent starts all the same.
    const isFolder = await Promise.race([
      stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      ),
      sleep(2000, undefined, { ref: false }),
    ])
    if (isFolder === undefined) log(`DEVICE_ROOTS: the disk of ${root} does not respond.`)
    else if (!isFolder)
      log(`DEVICE_ROOTS: there is no folder ${root}. Nothing of it is found until there is.`)
  }
  log(`opens ${roots.join(', ')} to ${cloudUrl}. Ctrl-C ends it.`)
  const running = await startDeviceAgent({ ...settings, log })
  onTermination(() => running.close())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
