import { expect, it } from 'vitest'
import { manifest, useSkillHome, zipped } from '../testing/skill-kit.ts'

const { open } = useSkillHome()

it.each([
  ['the same skill', manifest('a', 'credentials: [A_KEY]\n'), true],
  ['another skill', manifest('a', 'credentials: [A_KEY]\napi_base: https://elsewhere.example\n'), false],
])('the config of a removed skill is for the same skill only: %s', async (_, text, isKept) => {
  const library = open()
  await library.uploadMarkdown(manifest('a', 'credentials: [A_KEY]\n'))
  await library.saveConfig('a', { A_KEY: 'secret' })
  await library.remove('a')
  await library.uploadMarkdown(text)
  expect(await library.config('a')).toEqual(isKept ? { A_KEY: 'secret' } : {})
})

it('an update that calls a secret something else does not get it for another address', async () => {
  const library = open()
  const schema = (rules: object) =>
    JSON.stringify({ type: 'object', properties: { token: { type: 'string', ...rules } } })
  const skill = (base: string, rules: object) =>
    zipped({
      'a/SKILL.md': manifest('a', `api_base: ${base}\n`),
      'a/config.schema.json': schema(rules),
    })
  await library.uploadZip(skill('https://one.example', { writeOnly: true }))
  await library.saveConfig('a', { token: 'secret', units: 'metric' })
  await library.uploadZip(skill('https://two.example', {}))
  expect(await library.config('a')).toEqual({ units: 'metric' })
})
