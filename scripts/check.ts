import { parseArgs } from 'node:util'
import { runStep } from './run-step.ts'
import { libraryPackages, publishedPackages } from './workspace-packages.ts'

/** A check: the commands that make it up, all of which must exit with 0. */
type Step = readonly (readonly [command: string, ...args: string[]])[]

const packages = publishedPackages()

const steps: Readonly<Record<string, Step>> = {
  format: [['oxfmt', '--check', '.']],
  // with the errors of the compiler, also in *.test-d.ts: both need the types of everything, once
  lint: [['oxlint', '--type-aware', '--type-check', '--deny-warnings']],
  writing: [['node', 'scripts/check-writing.ts']],
  security: [['node', 'scripts/check-security.ts']],
  build: [['node', 'scripts/build.ts']],
  declarations: [['node', 'scripts/check-declarations.ts']],
  publint: packages.map(({ folder }) => ['publint', 'run', folder, '--strict', '--pack', 'npm']),
  attw: libraryPackages().map(({ folder }) => [
    'attw',
    '--pack',
    folder,
    '--profile',
    'esm-only',
    '--format',
    'table-flipped',
  ]),
  // a link that leads nowhere fails it
  docs: [['npm', 'run', 'docs']],
  // the quick and the long ones together, and also: package boundaries, public names, byte budgets (tests/packages) and the code in the docs (tests/docs)
  test: [['vitest', 'run']],
}

/**
 * The order in which they run: the quick ones first. Lists beside each other run at the same time. The documentation comes
 * behind the build: it writes pages that the build would take into the application.
 */
const order: readonly (readonly (readonly string[])[])[] = [
  [['format', 'writing', 'security']],
  [['lint'], ['build', 'declarations', 'publint', 'attw', 'docs']],
  [['test']],
]

const usage = `npm run check -- [--only step,...] [--except step,...]   steps: ${Object.keys(steps).join(', ')}`

/** Names from the command line, each of which must be a step. */
function namesOf(list: string | undefined): string[] | undefined {
  const names = list?.split(',')
  for (const name of names ?? []) {
    if (name in steps) continue
    console.error(`Could not choose the checks: there is no step "${name}".\n${usage}`)
    process.exit(2)
  }
  return names
}

const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`

/** Runs one check. @returns whether it passed. */
async function run(name: string): Promise<boolean> {
  console.log(`\n== ${name}`)
  const startedMs = performance.now()
  for (const [command, ...args] of steps[name] ?? []) {
    const code = await runStep(command, args)
    if (code === 0) continue
    console.error(`== ${name} failed after ${seconds(startedMs)}; the checks after it did not run`)
    return false
  }
  console.log(`== ${name} passed in ${seconds(startedMs)}`)
  return true
}

/** Runs one after the other until one fails. @returns whether all passed. */
async function runList(names: readonly string[]): Promise<boolean> {
  for (const name of names) if (!(await run(name))) return false
  return true
}

const { values } = parseArgs({ options: { only: { type: 'string' }, except: { type: 'string' } } })
const only = namesOf(values.only)
const except = namesOf(values.except)
const isWanted = (name: string) => (only?.includes(name) ?? true) && !except?.includes(name)
const startedMs = performance.now()

for (const lists of order) {
  const passed = await Promise.all(lists.map((names) => runList(names.filter(isWanted))))
  if (passed.includes(false)) process.exit(1)
}
const left = Object.keys(steps).filter((name) => !isWanted(name))
const notRun = left.length === 0 ? '' : `; NOT run, as asked: ${left.join(', ')}`
console.log(`\ncheck passed in ${seconds(startedMs)}${notRun}`)
