import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Secret } from '@homeward/device-sdk'
import { onTermination } from './on-termination.ts'
import { startDeviceAgent } from './start-device-agent.ts'

const { CLOUD_URL, DEVICE_API_KEY, DEVICE_ROOTS, DEVICE_STATE, DEVICE_INTERVAL_MS } = process.env
const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`)

function refuse(reason: string): never {
  console.error(`Starting the device agent: ${reason}`)
  process.exit(1)
}

const cloud = URL.parse(CLOUD_URL ?? '')
if (!CLOUD_URL || !cloud || !/^https?:$/.test(cloud.protocol))
  refuse('set CLOUD_URL to the address of the cloud, such as http://127.0.0.1:3000.')
if (!DEVICE_API_KEY) refuse('set DEVICE_API_KEY to the key that the registration gave.')
if (!DEVICE_ROOTS)
  refuse(`set DEVICE_ROOTS to the folders that may be searched, separated by "${delimiter}".`)
const intervalMs = Number(DEVICE_INTERVAL_MS || 30_000)
if (!(intervalMs >= 100)) refuse('DEVICE_INTERVAL_MS must be a number of milliseconds, at least 100.')

const roots = DEVICE_ROOTS.split(delimiter)
  .filter(Boolean)
  .map((root) => resolve(root))
for (const root of roots) {
  const isFolder = await stat(root).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) log(`DEVICE_ROOTS: there is no folder ${root}. Nothing of it is found until there is.`)
}

log(`opens ${roots.join(', ')} to ${cloud.origin}. Ctrl-C ends it.`)
const running = await startDeviceAgent({
  cloudUrl: CLOUD_URL,
  apiKey: new Secret(DEVICE_API_KEY),
  roots,
  // Not in the data home of `npm start`, whose trial device has a state of its own there.
  stateFolder: resolve(DEVICE_STATE || join(homedir(), '.homeward-device')),
  intervalMs,
  log,
})

onTermination(() => running.close())
