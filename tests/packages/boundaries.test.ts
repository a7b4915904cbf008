import { readdirSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type PackageEntry, workspaceFolder, workspacePackages } from '../../scripts/workspace-packages.ts'
import { cloudArrows } from './cloud-arrows.ts'
import { type LoadGraph, loadGraph, packageNameOf, sourceFolder } from './load-graph.ts'
import { readFolderImports } from './read-folder-imports.ts'

/** The arrows between packages: what each may import. No package may import an application. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  '@homeward/kit': [],
  '@homeward/contract': ['@homeward/kit'],
  '@homeward/device-sdk': ['@homeward/contract', '@homeward/kit'],
  '@homeward/cloud-core': ['@homeward/contract', '@homeward/kit'],
  '@homeward/skill-store-client': ['@homeward/contract', '@homeward/kit'],
  '@homeward/agent-runtime': ['@homeward/contract', '@homeward/kit', '@homeward/skill-store-client'],
  'create-homeward': [],
  'homeward-conformance': [],
  '@homeward/pages': ['@homeward/contract', '@homeward/kit'],
  homeward: [
    '@homeward/agent-runtime',
    '@homeward/cloud-core',
    '@homeward/contract',
    '@homeward/device-sdk',
    '@homeward/kit',
    '@homeward/skill-store-client',
  ],
}

/** Programs of the packages that are run, not imported. */
const programs: Readonly<Record<string, readonly PackageEntry[]>> = Object.fromEntries(
  Object.entries({
    homeward: ['src/main.ts', 'src/device/main.ts', 'src/cli/main.ts'],
    'create-homeward': ['src/main.ts'],
    'homeward-conformance': ['src/main.ts'],
  }).map(([name, sources]) => [
    name,
    sources.map((source) => ({ specifier: `${name}/${source}`, source, output: '' })),
  ]),
)

/** The only entries that may load what Node has built in; every other one also runs where Node is not. */
const needNode = [
  '@homeward/kit/documents',
  '@homeward/kit/node',
  '@homeward/kit/sqlite/node',
  '@homeward/kit/postgres',
  '@homeward/device-sdk/node',
  '@homeward/cloud-core/sqlite',
  '@homeward/cloud-core/postgres',
  '@homeward/cloud-core/webhooks',
  '@homeward/cloud-core/blobs/fs',
  '@homeward/skill-store-client',
  '@homeward/agent-runtime',
  '@homeward/agent-runtime/evals',
  '@homeward/agent-runtime/server',
  '@homeward/agent-runtime/sqlite',
  '@homeward/agent-runtime/telemetry',
  '@homeward/agent-runtime/postgres',
  '@homeward/agent-runtime/testing',
  ...Object.values(programs).flatMap((entries) => entries.map(({ specifier }) => specifier)),
]

const packages = workspacePackages()

it('knows the arrows of every package', () => {
  expect(packages.map(({ name }) => name).toSorted()).toEqual(Object.keys(arrows).toSorted())
})

describe.each(packages)('$name', (owner) => {
  it('declares no package of the workspace but those that it may import', () => {
    const own = owner.imports.filter((name) => name in arrows)
    expect(arrows[owner.name]).toEqual(expect.arrayContaining(own))
  })

  describe.each([...owner.entries, ...(programs[owner.name] ?? [])])('$specifier', (entry) => {
    let graph: LoadGraph
    beforeAll(async () => {
      graph = await loadGraph(owner, entry)
    })

    it('loads no file outside its own package', () => {
      // the manifest of the package says its version
      const isOwn = (file: string) =>
        file.startsWith(sourceFolder(owner)) || file === 'apps/homeward/package.json'
      expect(graph.files.filter((file) => !isOwn(file))).toEqual([])
    })

    it('imports only what its package declares', () => {
      const undeclared = graph.imports.filter(({ specifier }) => {
        return !isBuiltin(specifier) && !owner.imports.includes(packageNameOf(specifier))
      })
      expect(undeclared).toEqual([])
    })

    if (!needNode.includes(entry.specifier)) {
      it('loads nothing that Node has built in', () => {
        expect(graph.imports.filter(({ specifier }) => isBuiltin(specifier))).toEqual([])
      })
    }
  })
})

/**
 * Which folder of `agent-runtime` may import which, types included. Every folder may import only folders above it in this
 * table, so there is no circle. `runtime` puts everything together, and only `server`, `telemetry` and `evals` stand on it.
 */
const folderArrows: Readonly<Record<string, readonly string[]>> = {
  ports: [],
  json: [],
  'host-input': ['ports'],
  secrets: ['json'],
  concurrency: ['ports'],
  store: ['ports', 'host-input', 'concurrency'],
  'json-schema': ['json', 'concurrency'],
  paging: ['ports', 'store'],
  leases: ['ports', 'store'],
  files: ['ports', 'json', 'store'],
  budgets: ['ports', 'store', 'concurrency', 'files'],
  settings: ['ports', 'host-input', 'secrets'],
  memory: ['ports', 'store', 'concurrency', 'paging'],
  knowledge: ['ports', 'store', 'concurrency', 'paging', 'memory'],
  feedback: ['ports', 'store'],
  audit: ['ports', 'store', 'paging'],
  tokens: ['ports', 'store'],
  journal: ['ports', 'json', 'secrets', 'store', 'concurrency', 'paging', 'audit'],
  usage: ['ports', 'store', 'budgets'],
  webhooks: ['ports', 'store', 'settings'],
  conversations: ['ports', 'json', 'store', 'paging', 'files'],
  skills: ['ports', 'json', 'host-input', 'secrets', 'concurrency', 'json-schema', 'settings'],
  tools: [
    'ports',
    'json',
    'host-input',
    'secrets',
    'store',
    'concurrency',
    'json-schema',
    'files',
    'settings',
    'memory',
    'skills',
  ],
  models: ['ports', 'json', 'settings', 'files'],
  runs: [
    'ports',
    'json',
    'host-input',
    'secrets',
    'store',
    'concurrency',
    'json-schema',
    'paging',
    'leases',
    'files',
    'budgets',
    'journal',
    'conversations',
    'tools',
    'models',
  ],
  tasks: ['ports', 'store', 'concurrency', 'paging', 'leases', 'files', 'runs'],
  queue: ['ports', 'host-input', 'tasks'],
  schedules: ['ports', 'store', 'concurrency', 'paging', 'tasks'],
  triggers: ['ports', 'store', 'json-schema', 'settings', 'tasks'],
  agents: [
    'ports',
    'host-input',
    'secrets',
    'json-schema',
    'store',
    'concurrency',
    'paging',
    'settings',
    'audit',
    'tools',
    'schedules',
  ],
  'what-if': ['ports', 'store', 'runs', 'agents', 'json-schema'],
  graphs: [
    'ports',
    'json',
    'host-input',
    'json-schema',
    'secrets',
    'store',
    'concurrency',
    'budgets',
    'runs',
    'schedules',
    'agents',
  ],
  channels: [
    'ports',
    'json',
    'store',
    'concurrency',
    'paging',
    'leases',
    'files',
    'secrets',
    'settings',
    'models',
    'tasks',
  ],
  runtime: [
    'ports',
    'what-if',
    'feedback',
    'files',
    'host-input',
    'store',
    'concurrency',
    'leases',
    'budgets',
    'settings',
    'memory',
    'knowledge',
    'audit',
    'tokens',
    'journal',
    'usage',
    'webhooks',
    'conversations',
    'skills',
    'tools',
    'models',
    'runs',
    'tasks',
    'schedules',
    'triggers',
    'agents',
    'graphs',
    'channels',
  ],
  server: [
    'audit',
    'tokens',
    'ports',
    'host-input',
    'store',
    'channels',
    'journal',
    'knowledge',
    'conversations',
    'runs',
    'runtime',
  ],
  telemetry: ['ports', 'json', 'secrets', 'budgets', 'journal', 'store', 'runtime'],
  evals: ['ports', 'json', 'host-input', 'secrets', 'budgets', 'journal', 'models', 'runtime'],
}

/** Which folder of the pages may import which: what every page uses first, then a folder for each part of the product. */
const pagesArrows: Readonly<Record<string, readonly string[]>> = {
  styles: [],
  api: [],
  components: ['api'],
  help: ['components'],
  ...above(['api', 'components'], {
    notices: [],
    webhooks: ['notices'],
    tokens: [],
    mcp: [],
    memory: [],
    triggers: [],
    collections: ['memory'],
    schedules: [],
    skills: [],
    usage: [],
    settings: [],
    channels: ['settings'],
    logs: ['settings', 'usage'],
    devices: [],
    audit: ['devices', 'settings'],
    uploads: ['devices'],
    searches: ['devices', 'uploads'],
    fleet: ['devices', 'uploads', 'searches'],
    pairing: ['devices', 'fleet'],
    chat: [],
    conversations: ['chat'],
    runs: ['chat', 'usage'],
    waiting: ['chat'],
    agents: ['chat'],
    versions: ['usage', 'chat'],
    users: ['usage', 'settings'],
    tasks: ['chat', 'notices'],
    graphs: ['chat', 'tasks'],
    navigation: ['chat', 'searches', 'settings'],
    home: ['chat', 'devices', 'navigation', 'notices', 'settings', 'usage'],
    shell: ['navigation', 'notices'],
  }),
}

/** Which folder of the application may import which. `server` starts everything, and only the command stands on it. */
const applicationArrows: Readonly<Record<string, readonly string[]>> = {
  program: [],
  terminal: [],
  settings: [],
  mcp: [],
  docs: ['program'],
  http: ['settings'],
  dashboard: ['program', 'http'],
  'sign-in': ['settings', 'dashboard'],
  device: ['program', 'terminal', 'settings'],
  backup: ['terminal'],
  server: ['program', 'settings', 'http', 'dashboard', 'sign-in', 'device', 'backup'],
  cli: ['program', 'terminal', 'settings', 'mcp', 'docs', 'sign-in', 'device', 'backup', 'server'],
}

/** Arrows of folders that all stand on the same ones. */
function above(
  base: readonly string[],
  folders: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(folders).map(([name, own]) => [name, [...base, ...own]]))
}

/** Published for tests of hosts: it may import everything, and no source imports it. */
const forTests = 'testing'

describe.each([
  ['packages/agent-runtime/src', folderArrows],
  ['packages/cloud-core/src', cloudArrows],
  ['apps/pages/src', pagesArrows],
  ['apps/homeward/src', applicationArrows],
])('the folders of %s', (source, arrows) => {
  it('have arrows that are known, each to folders above', () => {
    const folders = readdirSync(join(workspaceFolder, source), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) => name !== forTests)
    const known = Object.keys(arrows)
    expect(known.toSorted()).toEqual(folders.toSorted())
    for (const [place, folder] of known.entries()) {
      expect(known.slice(0, place)).toEqual(expect.arrayContaining([...arrows[folder]!]))
    }
  })

  it('import only what their arrows allow', () => {
    const forbidden = readFolderImports(source)
      .filter(({ from }) => from !== '.' && from !== forTests)
      .filter(({ from, to }) => !(arrows[from] ?? []).includes(to))
    expect(forbidden.map(({ where }) => where)).toEqual([])
  })
})
