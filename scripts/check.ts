import { parseArgs } from 'node:util'
import { runStep } from './run-step.ts'
import { workspacePackages } from './workspace-packages.ts'

/** A check: the commands that make it up, all of which must exit with 0. */
type Step = readonly (readonly [command: string, ...args: string[]])[]

const packages = workspacePackages()

/** Every check, in the order in which they run: the quick ones first, then the build and what looks at it. */
const steps: Readonly<Record<string, Step>> = {
  format: [['oxfmt', '--check', '.']],
  lint: [['oxlint', '--type-aware', '--deny-warnings']],
  types: [['tsc', '-p', '.']],
  // the quick and the long ones together, and also: package boundaries, public names, byte budgets (tests/packages) and the code in the docs (tests/docs)
  test: [['vitest', 'run']],
  build: [['node', 'scripts/build.ts']],
  declarations: [['node', 'scripts/check-declarations.ts']],
  publint: packages.map(({ folder }) => ['publint', 'run', folder, '--strict', '--pack', 'npm']),
  attw: packages.map(({ folder }) => [
    'attw',
    '--pack',
    folder,
    '--profile',
    'esm-only',
    '--format',
    'table-flipped',
  ]),
}

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

async function run(step: Step): Promise<number> {
  for (const [command, ...args] of step) {
    const code = await runStep(command, args)
    if (code !== 0) return code
  }
  return 0
}

const { values } = parseArgs({ options: { only: { type: 'string' }, except: { type: 'string' } } })
const only = namesOf(values.only)
const except = namesOf(values.except)
const startedMs = performance.now()
const left: string[] = []

for (const [name, step] of Object.entries(steps)) {
  if ((only && !only.includes(name)) || except?.includes(name)) {
    left.push(name)
    continue
  }
  console.log(`\n== ${name}`)
  const stepStartedMs = performance.now()
  const code = await run(step)
  if (code !== 0) {
    console.error(`== ${name} failed after ${seconds(stepStartedMs)}; the checks after it did not run`)
    process.exit(code)
  }
  console.log(`== ${name} passed in ${seconds(stepStartedMs)}`)
}
const notRun = left.length === 0 ? '' : `; NOT run, as asked: ${left.join(', ')}`
console.log(`\ncheck passed in ${seconds(startedMs)}${notRun}`)
