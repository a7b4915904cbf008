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

if (!CLOUD_URL || !URL.canParse(CLOUD_URL))
  refuse('set CLOUD_URL to the address of the cloud, such as http://127.0.0.1:3000.')
if (!DEVICE_API_KEY) refuse('set DEVICE_API_KEY to the key that the registration gave.')
if (!DEVICE_ROOTS)
  refuse(`set DEVICE_ROOTS to the folders that may be searched, separated by "${delimiter}".`)
const intervalMs = Number(DEVICE_INTERVAL_MS || 30_000)
if (!(intervalMs >= 100)) refuse('DEVICE_INTERVAL_MS must be a number of milliseconds, at least 100.')

const running = await startDeviceAgent({
  cloudUrl: CLOUD_URL,
  apiKey: new Secret(DEVICE_API_KEY),
  roots: DEVICE_ROOTS.split(delimiter)
    .filter(Boolean)
    .map((root) => resolve(root)),
  stateFolder: resolve(DEVICE_STATE || join(homedir(), '.homeward', 'device')),
  intervalMs,
  log,
})

onTermination(() => running.close())
