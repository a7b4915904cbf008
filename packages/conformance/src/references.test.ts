import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cloudCases } from './cloud/cloud-cases.ts'
import { deviceCases } from './device/device-cases.ts'

const repository = join(import.meta.dirname, '../../..')

/** Headings as anchors, the way GitHub makes them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

const subjects = [deviceCases, cloudCases].map((cases) => Object.values(cases).flat())

it('names a line of the documentation that exists, for every case', () => {
  const missing = subjects.flat().filter(({ holds }) => {
    const [path = '', anchor = ''] = holds.link.split('#')
    return !anchorsOf(readFileSync(join(repository, path), 'utf8')).includes(anchor)
  })
  expect(missing.map(({ id, holds }) => `${id}: ${holds.link}`)).toEqual([])
})

it('gives every case an id of its own', () => {
  for (const cases of subjects) {
    const ids = cases.map(({ id }) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  }
})
