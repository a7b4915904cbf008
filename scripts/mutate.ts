import { parseArgs } from 'node:util'
import { installOnce } from './install-once.ts'
import { parts } from './mutation/parts.ts'
import { runStep } from './run-step.ts'

// Mutation testing: changes the code in small ways and tells which of them no test notices. It takes long, so it is no check.
const { positionals } = parseArgs({ allowPositionals: true })
const chosen = positionals.length === 0 ? Object.keys(parts) : positionals
const unknown = chosen.find((name) => !Object.hasOwn(parts, name))
if (unknown !== undefined) {
  console.error(`Could not choose what to change: there is no part "${unknown}".`)
  console.error(`npm run mutate -- [part...]   parts: ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}

const folder = new URL('mutation/', import.meta.url)
await installOnce(folder, 'what mutation testing needs')
for (const name of chosen) {
  console.log(`\n>> ${name}`)
  process.env['MUTATION_PART'] = name
  const code = await runStep('scripts/mutation/node_modules/.bin/stryker', [
    'run',
    'scripts/mutation/stryker.config.ts',
  ])
  if (code !== 0) process.exitCode = code
}
