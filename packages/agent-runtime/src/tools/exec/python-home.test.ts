import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRuntime } from '../../index.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-python-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** A program of that name that says what it was started with. */
async function addProgram(name: string): Promise<string> {
  const bin = join(home, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, name), '#!/bin/sh\necho "$1"\n')
  await chmod(join(bin, name), 0o755)
  return bin
}

it('A16: a Python program of a skill runs nothing that an agent put into its home', async () => {
  const bin = await addProgram('python3')
  const skill = join(home, 'skills', 'count')
  await mkdir(skill, { recursive: true })
  await writeFile(join(skill, 'SKILL.md'), '---\nname: count\ndescription: Counts words.\n---\n')
  await writeFile(join(skill, 'run.py'), '')
  await writeFile(
    join(skill, 'tools.yaml'),
    '- { id: count_words, description: Counts words., type: exec, command: [python3, run.py] }\n',
  )
  const environment = { PATH: [bin, process.env['PATH']].join(delimiter) }
  await using runtime = createRuntime({ home, environment, sandbox: 'off' })
  await runtime.agents.create({ id: 'a', model: 'test/tools', skills: ['count'] })
  const { steps } = await runtime.run({ agent_id: 'a', task: 'count words' })
  expect(steps).toEqual([
    { tool: 'count_words', args: {}, result: expect.objectContaining({ stdout: '-s\n' }) },
  ])
})
