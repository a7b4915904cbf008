import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemSkills } from './installed-skills.tsx'

it('knows every skill that the server brings along', async () => {
  const folder = join(import.meta.dirname, '../../../homeward/skills')
  const names = (await readdir(folder, { withFileTypes: true })).filter((each) => each.isDirectory())
  expect(names.map(({ name }) => name).toSorted()).toEqual([...systemSkills])
})
