import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Mutant, pythonMutants } from './python-mutants.ts'
import { exampleFile, hasProgram, needsOtherUser, runConformance } from './run-conformance.ts'

const source = await readFile(exampleFile('python/device.py'), 'utf8')
const hasPython = hasProgram('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 8))')

/** Runs the one case that names the mutant; gives what came of it. */
async function outcomeOf({ caughtBy, from, to }: Mutant, file: string): Promise<string> {
  await writeFile(
    file,
    source.replace(from, () => to),
  )
  const pace = ['--interval', '0.3', '--patience', '12', '--jobs', '1']
  const { results } = await runConformance([
    'device',
    '--level',
    'chunked,work',
    '--only',
    caughtBy,
    ...pace,
    '--',
    'python3',
    file,
  ])
  return results[0]?.outcome ?? 'no result'
}

it('changes a text that stands in the Python example once, with each mutant', () => {
  const unclear = pythonMutants.filter(({ from }) => source.split(from).length !== 2)
  expect(unclear.map(({ caughtBy, from }) => `${caughtBy}: ${from}`)).toEqual([])
  expect(pythonMutants.length).toBeGreaterThanOrEqual(30)
})

// To run it, install Python 3.8 or newer as `python3`.
it.skipIf(!hasPython)('catches each mutant of the Python example with the case that names it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-mutants-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const waiting = pythonMutants.map((mutant, at) => ({ mutant, file: join(folder, `device-${at}.py`) }))
  const survivors: string[] = []
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await outcomeOf(next.mutant, next.file)
      const isSkipped = outcome === 'skipped' && needsOtherUser(next.mutant.caughtBy)
      if (outcome !== 'failed' && !isSkipped)
        survivors.push(`${next.mutant.caughtBy} ${outcome}: ${next.mutant.to}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  expect(survivors).toEqual([])
})
