import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentRuntime } from '@homeward/agent-runtime'
import type { DeviceCloud, CloudStore } from '@homeward/cloud-core'
import { startDeviceAgent, type RunningAgent } from '../../apps/homeward/src/device/start-device-agent.ts'
import { openDashboard } from '../../apps/homeward/src/dashboard/dashboard.ts'
import { readSettings } from '../../apps/homeward/src/settings/settings.ts'
import { startAgentServer, type AgentServer } from '../../apps/homeward/src/server/start-agent-server.ts'
import { startCloudServer, type CloudServer } from '../../apps/homeward/src/server/start-cloud-server.ts'
import { registerTrialDevice } from '../../apps/homeward/src/server/trial-device.ts'

/** What {@link startServers} starts. */
export interface ServerOptions {
  /** Variables of the environment as `npm start` takes them, or what finds them out before the servers start. */
  readonly environment?: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>)
  /** Whether this machine is a device; it may give the files of `deviceFolder`. @default false */
  readonly hasDevice?: boolean
  /** Keeps what the device cloud knows instead of a database. It has to outlive a restart. */
  readonly cloudStore?: CloudStore
}

/** Both servers with their dashboards, in this process, on ports and a data home of their own. */
export interface Servers {
  readonly cloudUrl: string
  readonly agentsUrl: string
  readonly home: string
  /** Whose files the device searches and gives. */
  readonly deviceFolder: string
  /** Of the device, where there is one. */
  readonly deviceId: string | undefined
  cloud(): DeviceCloud
  runtime(): AgentRuntime
  /** Stops both; the ports stay theirs. */
  stop(): Promise<void>
  /** Starts both again over the same data. */
  restart(): Promise<void>
  /** Stops both and removes the data. */
  end(): Promise<void>
}

interface Running {
  readonly cloud: CloudServer
  readonly agents: AgentServer
  readonly device: RunningAgent | undefined
  readonly deviceId: string | undefined
}

/** Starts both servers, once the dashboard is built. */
export async function startServers(options: ServerOptions): Promise<Servers> {
  const { hasDevice = false, cloudStore } = options
  const environment =
    typeof options.environment === 'function' ? await options.environment() : options.environment
  const built: string[] = []
  const dashboard = openDashboard((line) => built.push(line))
  await dashboard.settled
  if (dashboard.state().kind !== 'ready')
    throw new Error(`There is no dashboard to test: ${built.join('\n')}`)
  const home = await mkdtemp(join(tmpdir(), 'homeward-dashboard-'))
  const deviceFolder = join(home, 'device-files')
  await mkdir(deviceFolder)

  async function start(ports: { readonly PORT: string; readonly CLOUD_PORT: string }): Promise<Running> {
    const settings = readSettings({ ...environment, ...ports, HOMEWARD_HOME: join(home, 'data') })
    const cloud = await startCloudServer(settings, cloudStore, dashboard)
    const agents = await startAgentServer(settings, cloud, dashboard)
    const device = hasDevice ? await startDevice(cloud, settings.home) : undefined
    return { cloud, agents, device: device?.running, deviceId: device?.id }
  }

  async function startDevice({ cloud, url }: CloudServer, dataHome: string) {
    const { id, apiKey } = await registerTrialDevice(cloud, dataHome)
    const stateFolder = join(home, 'device-state')
    const roots = [deviceFolder]
    const running = await startDeviceAgent({
      cloudUrl: url,
      apiKey,
      roots,
      stateFolder,
      intervalMs: 200,
      log() {},
    })
    return { id, running }
  }

  let running: Running | undefined = await start({ PORT: '0', CLOUD_PORT: '0' })
  const { cloud, agents, deviceId } = running
  const ports = { PORT: new URL(agents.url).port, CLOUD_PORT: new URL(cloud.url).port }

  async function stop(): Promise<void> {
    const stopped = running
    running = undefined
    await stopped?.device?.close()
    await Promise.all([stopped?.agents.close(), stopped?.cloud.close()])
  }

  function started(): Running {
    if (!running) throw new Error('The servers are stopped.')
    return running
  }

  return {
    cloudUrl: cloud.url,
    agentsUrl: agents.url,
    home,
    deviceFolder,
    deviceId,
    cloud: () => started().cloud.cloud,
    runtime: () => started().agents.runtime,
    stop,
    async restart() {
      await stop()
      running = await start(ports)
    },
    async end() {
      await stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
