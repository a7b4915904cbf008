import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createUserClient } from '@homeward/device-sdk'
import { expect, it } from 'vitest'
import { startServer, type ServerProcess } from '../server/server-process.ts'
import { createChaosDashboard } from './chaos-dashboard.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { createDeviceGroup, type ChaosDevice, type DeviceGroup } from './device-group.ts'

/** How long things go wrong; the whole time is for `npm run soak`. */
const chaosSeconds = Number(process.env['CHAOS_SECONDS'] ?? 6)
const groupCount = Number(process.env['CHAOS_PROCESSES'] ?? 2)
const deviceCount = 50
const hourMs = 3_600_000
const clock = fileURLToPath(new URL('./shifted-clock.ts', import.meta.url))

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The cloud's side: a real server behind a proxy, killed and started again on the same data. */
async function createCloudSide(home: string, onMove: (url: string | undefined) => void) {
  const proxy = await startCuttingProxy()
  const past: ServerProcess[] = []
  let server: ServerProcess | undefined
  const side = {
    url: proxy.url,
    cut: proxy.cut,
    output: () => past.map((ended) => ended.output()).join('\n'),
    async start(aheadMs: number) {
      server = await startServer(home, {
        NODE_OPTIONS: `--import=${clock}`,
        CLOCK_AHEAD_MS: String(aheadMs),
      })
      past.push(server)
      proxy.target = server.port
      onMove(server.url)
    },
    async kill() {
      onMove(undefined)
      await server?.end('SIGKILL')
    },
    async [Symbol.asyncDispose]() {
      await side.kill()
      await proxy[Symbol.asyncDispose]()
    },
  }
  return side
}

type CloudSide = Awaited<ReturnType<typeof createCloudSide>>

async function createDevices(url: string, folder: string): Promise<Map<ChaosDevice, string>> {
  const { registerDevice } = createUserClient({ baseUrl: url })
  const hashes = new Map<ChaosDevice, string>()
  for (let at = 0; at < deviceCount; at += 1) {
    const body = { name: `device-${at}`, type: 'iot', platform: 'linux', metadata: {} }
    const { device, apiKey } = await registerDevice({ body })
    const [root, stateFolder] = [join(folder, `${at}`, 'root'), join(folder, `${at}`, 'state')]
    await Promise.all([mkdir(root, { recursive: true }), mkdir(stateFolder, { recursive: true })])
    const bytes = randomBytes(200_000 + Math.floor(Math.random() * 800_000))
    await writeFile(join(root, 'findme.bin'), bytes)
    hashes.set({ id: device.id, apiKey, root, stateFolder }, hashOf(bytes))
  }
  return hashes
}

/** One thing that goes wrong, chosen by chance, and not the same as before it. */
async function goWrong(
  cloud: CloudSide,
  groups: readonly DeviceGroup[],
  before: string | undefined,
): Promise<string> {
  const group = pick(groups)
  const things: readonly [string, () => Promise<void> | void][] = [
    ['cut', cloud.cut],
    ['cut', cloud.cut],
    [
      'device killed',
      async () => {
        await group.kill()
        await group.start()
      },
    ],
    [
      'server killed',
      async () => {
        await cloud.kill()
        await cloud.start(pick([0, hourMs, -hourMs]))
      },
    ],
    [
      'disk full',
      async () => {
        group.fillDisk(true)
        await pause(1000)
        group.fillDisk(false)
      },
    ],
    ['clock jumps', () => group.jump(pick([0, hourMs, -hourMs, 24 * hourMs]))],
  ]
  const [name, run] = pick(things.filter(([thing]) => thing !== before))
  await run()
  return name
}

/** Everything that lies in a folder, names included, as text. */
async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'findme.bin')
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  )
  return texts.join('\n')
}

it(
  `C9, C17: ${deviceCount} real agents and a real server survive ${chaosSeconds} s in which either side is killed, cut off, out of disk and out of time`,
  { timeout: (chaosSeconds + 180) * 1000 },
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'homeward-chaos-')))
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
    const home = join(folder, 'home')
    const dashboard = createChaosDashboard()
    const cloud = cleanUp.use(await createCloudSide(home, (url) => void (dashboard.cloudUrl = url)))
    await cloud.start(0)
    const devices = await createDevices(dashboard.cloudUrl!, join(folder, 'devices'))
    const all = [...devices.keys()]
    const groups: DeviceGroup[] = []
    for (let at = 0; at < groupCount; at += 1) {
      const own = all.filter((_, index) => index % groupCount === at)
      groups.push(cleanUp.use(await createDeviceGroup(cloud.url, own, join(folder, `group-${at}.json`))))
    }
    await Promise.all(groups.map((group) => group.start()))

    const untilMs = performance.now() + chaosSeconds * 1000
    const work = async () => {
      while (performance.now() < untilMs) {
        const device = pick(all)
        await (Math.random() < 0.2
          ? dashboard.askForFile(device, devices.get(device)!)
          : dashboard.search(device))
        await dashboard.observe()
        await pause(50)
      }
    }
    const working = work()
    const happened: string[] = []
    // two at least, also where each takes long
    while (performance.now() < untilMs || happened.length < 2) {
      happened.push(await goWrong(cloud, groups, happened.at(-1)))
      await pause(500 * Math.random())
    }
    await working

    // Peace: both sides start once more. Leases of uploads whose device died (C4) have run out by then.
    await Promise.all([cloud.kill(), ...groups.map((group) => group.kill())])
    await cloud.start(2 * hourMs)
    await Promise.all(groups.map((group) => group.start()))
    await dashboard.settled(90_000).catch((error: unknown) => {
      const tails = [cloud.output(), ...groups.map((group) => group.output())].map((text) =>
        text.slice(-3000),
      )
      throw new Error(`after ${happened.join(', ')}: ${tails.join('\n---\n')}`, { cause: error })
    })

    const { total, completed } = dashboard.checkSearches()
    const files = await dashboard.checkFiles()
    const said = [cloud.output(), ...groups.map((group) => group.output())].join('\n')
    const kept = [await readAll(home), await readAll(join(folder, 'devices'))].join('\n')
    for (const { apiKey } of all) expect(said.includes(apiKey) || kept.includes(apiKey)).toBe(false)
    expect(new Set(happened).size, happened.join()).toBeGreaterThan(1)
    expect(total).toBeGreaterThan(chaosSeconds)
    expect(completed).toBeGreaterThan(total / 2)
    expect(files).toBeGreaterThan(0)
  },
)
