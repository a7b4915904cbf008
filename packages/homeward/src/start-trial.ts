import { join, resolve } from 'node:path'
import { DeviceCloudError } from '@homeward/device-sdk'
import { assertStateFolder, startDeviceAgent, type RunningAgent } from './device/start-device-agent.ts'
import { openDashboard } from './dashboard/dashboard.ts'
import { openCloudStore } from './open-storage.ts'
import { isLoopback, type Settings } from './settings/settings.ts'
import { startAgentServer } from './agents/start-agent-server.ts'
import { startCloudServer, type CloudServer } from './cloud/start-cloud-server.ts'
import { registerTrialDevice } from './cloud/trial-device.ts'
import { welcome } from './welcome.ts'

const projectFolder = resolve(import.meta.dirname, '../../..')

/** Both servers and the trial device, running. */
export interface Trial {
  /** Ends all of it, and a build of the dashboard that is under way. */
  close(): Promise<void>
}

/** Starts both servers and the trial device, and prints what to do with them. */
export async function startTrial(settings: Settings): Promise<Trial> {
  const dashboard = settings.dashboard
    ? openDashboard((line) => console.log(`dashboard: ${line}`))
    : undefined
  const cloudServer = await startCloudServer(settings, await openCloudStore(settings.databaseUrl), dashboard)
  const cloud = { host: settings.cloudHost, url: cloudServer.url }
  const agentServer = await startAgentServer(settings, cloud, dashboard)
  cloudServer.setNeighbour({ host: settings.host, url: agentServer.url })
  const { runtime, demoModel } = agentServer
  const trial = settings.trialDevice ? await startTrialDevice(cloudServer, settings) : undefined
  const text = welcome({
    cloudUrl: cloudServer.url,
    deviceId: trial?.deviceId,
    hasLogin: settings.cloud?.oidc !== undefined,
    filePath: join(projectFolder, 'README.md'),
    agentsUrl: agentServer.url,
    needsToken: (await runtime.settings.read()).api_token !== undefined,
    isPublic: !isLoopback(settings.host),
    demoModel,
    hasDashboard: settings.dashboard,
    home: settings.home,
  })
  console.log(text)

  const closeCloud = async () => {
    await trial?.running.close() // the device needs the cloud for its last reports
    await cloudServer.close()
  }
  return {
    async close() {
      await Promise.all([agentServer.close(), closeCloud(), dashboard?.close()])
    },
  }
}

/** Undefined where another server of this data home has the device already: a new key would lock that one's out. */
async function startTrialDevice(
  { cloud, url }: CloudServer,
  { home, intervalMs }: Settings,
): Promise<{ deviceId: string; running: RunningAgent } | undefined> {
  const stateFolder = join(home, 'device')
  const log = (line: string) => console.log(`device: ${line}`)
  try {
    await assertStateFolder(stateFolder)
  } catch (error) {
    if (!DeviceCloudError.is(error)) throw error
    log(`this server starts without one. ${error.message}`)
    return undefined
  }
  const { id, apiKey } = await registerTrialDevice(cloud, home)
  const running = await startDeviceAgent({
    cloudUrl: url,
    apiKey,
    roots: [projectFolder],
    stateFolder,
    intervalMs,
    log,
  })
  return { deviceId: id, running }
}
