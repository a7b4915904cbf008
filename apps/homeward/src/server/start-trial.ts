import { assertRestored } from '../backup/scratch.ts'
import { join } from 'node:path'
import { DeviceCloudError } from '@homeward/device-sdk'
import { assertStateFolder, startDeviceAgent, type RunningAgent } from '../device/start-device-agent.ts'
import { openDashboard } from '../dashboard/dashboard.ts'
import { openCloudStore } from './open-storage.ts'
import { isLoopback, type Settings } from '../settings/settings.ts'
import { startAgentServer } from './start-agent-server.ts'
import { startCloudServer, type CloudServer } from './start-cloud-server.ts'
import { registerTrialDevice } from './trial-device.ts'
import { packageFolder, repositoryFolder } from '../program/package-folder.ts'
import { welcome } from './welcome.ts'

/** What the trial device shares: nothing of the user's. */
const sharedFolder = repositoryFolder ?? packageFolder

/** Both servers and the trial device, running. */
export interface Trial {
  /** Ends all of it, and a build of the dashboard that is under way. */
  close(): Promise<void>
}

/** What a start tells programs: `homeward start --json`. */
export interface StartedServer {
  /** Address of the device cloud. */
  readonly cloud_url: string
  /** Address of the agent platform. */
  readonly agents_url: string
  readonly home: string
}

/** How a start is shown. */
export interface TrialOptions {
  /** Told once, when both servers answer. @default prints the text */
  readonly show?: (started: StartedServer, toText: () => string) => void
}

/** Starts both servers and the trial device, and prints what to do with them. */
export async function startTrial(settings: Settings, { show = showText }: TrialOptions = {}): Promise<Trial> {
  assertRestored(settings.home)
  const dashboard = settings.dashboard
    ? openDashboard((line) => console.log(`dashboard: ${line}`))
    : undefined
  const cloudServer = await startCloudServer(settings, await openCloudStore(settings), dashboard)
  const agentServer = await startAgentServer(settings, cloudServer, dashboard)
  const { runtime, demoModel } = agentServer
  const trial = settings.trialDevice ? await startTrialDevice(cloudServer, settings) : undefined
  const started = { cloud_url: cloudServer.url, agents_url: agentServer.url, home: settings.home }
  const needsToken = (await runtime.settings.read()).api_token !== undefined
  const toText = () =>
    welcome({
      cloudUrl: cloudServer.url,
      networkUrls: cloudServer.networkUrls,
      publicUrl: settings.cloud.publicUrl,
      deviceId: trial?.deviceId,
      hasLogin: settings.cloud?.oidc !== undefined,
      filePath: join(sharedFolder, 'README.md'),
      searched: repositoryFolder ? 'integrator.md' : 'SKILL.md',
      agentsUrl: agentServer.url,
      needsToken,
      isPublic: !isLoopback(settings.host),
      demoModel,
      hasDashboard: settings.dashboard,
      home: settings.home,
    })
  show(started, toText)

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

const showText = (_started: StartedServer, toText: () => string) => console.log(toText())

/** Undefined where another server of this data home has the device already: a new key would lock that one's out. */
async function startTrialDevice(
  { cloud, url }: CloudServer,
  { home, intervalMs, announceFolders, contentSearch }: Settings,
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
    roots: [sharedFolder],
    stateFolder,
    announceFolders,
    contentSearch,
    intervalMs,
    log,
  })
  return { deviceId: id, running }
}
