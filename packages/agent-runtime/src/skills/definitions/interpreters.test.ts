import { expect, it } from 'vitest'
import { withoutUserSite } from './interpreters.ts'

it.each([
  [
    ['python3', 'run.py'],
    ['python3', '-s', 'run.py'],
  ],
  [
    ['/usr/bin/python3.12', '-u', 'run.py', 'python'],
    ['/usr/bin/python3.12', '-s', '-u', 'run.py', 'python'],
  ],
  [
    ['env', '-i', 'A=b', 'pypy3', 'run.py'],
    ['env', '-i', 'A=b', 'pypy3', '-s', 'run.py'],
  ],
  [
    ['Python.exe', '-m', 'tool'],
    ['Python.exe', '-s', '-m', 'tool'],
  ],
  [
    ['node', 'run.mjs', 'python3'],
    ['node', 'run.mjs', 'python3'],
  ],
  [
    ['pythonic', 'run.py'],
    ['pythonic', 'run.py'],
  ],
  [[], []],
])('A16: Python takes nothing from the home of its user: %j', (command, expected) => {
  expect(withoutUserSite(command)).toEqual(expected)
})
