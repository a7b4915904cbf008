import { join, resolve } from 'node:path'
import { onTermination } from '../device-agent/on-termination.ts'
import { startDeviceAgent, type RunningAgent } from '../device-agent/start-device-agent.ts'
import { readSettings, type Settings } from './settings.ts'
import { startCloudServer, type CloudServer } from './start-cloud-server.ts'
import { registerTrialDevice } from './trial-device.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

try {
  await main(readSettings(process.env))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function main(settings: Settings): Promise<void> {
  const server = await startCloudServer(settings)
  const trial = settings.trialDevice ? await startTrial(server, settings) : undefined
  printWelcome(server.url, trial?.deviceId)

  onTermination(async () => {
    await trial?.running.close()
    await server.close()
  })
}

async function startTrial(
  { cloud, url }: CloudServer,
  { home, intervalMs }: Settings,
): Promise<{ deviceId: string; running: RunningAgent }> {
  const { id, apiKey } = await registerTrialDevice(cloud, home)
  const running = await startDeviceAgent({
    cloudUrl: url,
    apiKey,
    roots: [projectFolder],
    stateFolder: join(home, 'device'),
    intervalMs,
    log: (line) => console.log(`device: ${line}`),
  })
  return { deviceId: id, running }
}

function printWelcome(url: string, deviceId: string | undefined): void {
  const json = "-H 'Content-Type: application/json'"
  const id = deviceId ?? 'DEVICE_ID'
  const lines = [
    `Homeward device cloud: ${url}   (API: ${url}/openapi.json)`,
    '',
    deviceId === undefined ? 'Register a device:' : 'This machine is a device of it. See it:',
    deviceId === undefined
      ? `  curl -s ${url}/api/devices ${json} -d '{"name":"my device","type":"desktop","platform":"linux","metadata":{}}'`
      : `  curl -s ${url}/api/devices`,
    'Search its files, then read the results:',
    `  curl -s ${url}/api/devices/search/query ${json} -d '{"query":"README.md","scope":["files"],"deviceIds":["${id}"]}'`,
    `  curl -s '${url}/api/devices/search/query?deviceId=${id}&limit=1'`,
    'Ask for a file, then read its fileUrl:',
    `  curl -s ${url}/api/devices/files/upload-requests ${json} -d '{"filePath":"${join(projectFolder, 'README.md')}","destination":"cloud","deviceIds":["${id}"]}'`,
    `  curl -s '${url}/api/devices/files/upload-requests?deviceId=${id}&limit=1'`,
    '',
  ]
  console.log(lines.join('\n'))
}
