import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { toArguments } from './exec-arguments.ts'

const args = ['run', '--file', '{{file}}', '--name={{name}}', 'x{{name}}y', '--', '{{rest}}']

it('A16: any values give the same number of arguments, and none of them a new option', () => {
  const characters = fc.array(
    fc.constantFrom('a', '-', ' ', '"', "'", '$', '{{', '}}', '\n', '\0', 'é', '漢', '\ud800'),
  )
  const text = fc.oneof(
    characters.map((parts) => parts.join('')),
    fc.constantFrom('-rf', '--', '$(id)', '{{name}}', '{{file}}', '', ' ', '\n'),
  )
  fc.assert(
    fc.property(text, text, text, (file, name, rest) => {
      let filled: string[]
      try {
        filled = toArguments(args, { file, name, rest }, undefined)
      } catch (error) {
        expect(RuntimeError.is(error)).toBe(true)
        expect(file.startsWith('-') || `${file}${name}${rest}`.includes('\0')).toBe(true)
        return
      }
      // values are never templates themselves: what a value holds is not filled again
      expect(filled).toEqual(['run', '--file', file, `--name=${name}`, `x${name}y`, '--', rest])
    }),
  )
})

it('A16: leaves out what has no value, with the option before it, and nothing else', () => {
  expect(toArguments(args, {}, undefined)).toEqual(['run', '--'])
  expect(
    toArguments(['--verbose', '--tag={{tag}}', '-o', '{{out}}', '{{in}}'], { in: null }, undefined),
  ).toEqual(['--verbose'])
  expect(
    toArguments(['{{base}}/x', '{{flag}}', '{{size}}'], { flag: false, size: -1.5 }, 'https://api.example'),
  ).toEqual(['https://api.example/x', 'false', '-1.5'])
  expect(toArguments(['{{base}}'], { base: 'own' }, 'https://api.example')).toEqual(['own'])
  expect(toArguments(['{{constructor}}', '{{__proto__}}'], {}, undefined)).toEqual([])
})

it('A16: refuses what a program cannot be given', () => {
  expect(() => toArguments(['{{a}}'], { a: 'x'.repeat(200_000) }, undefined)).toThrow(
    'it is too long. Pass long values through stdin',
  )
  expect(() => toArguments(['{{a}}{{b}}'], { a: '-', b: 'rf' }, undefined)).toThrow('must not start with "-"')
  expect(() => toArguments(['{{a}}'], { a: ['--x'] }, undefined)).not.toThrow()
})
