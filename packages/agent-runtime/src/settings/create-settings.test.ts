import { chmod, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settingRows } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createSecrets } from './create-secrets.ts'
import { createSettings } from './create-settings.ts'

let folder: string
let file: string
let warnings: string[]
const logger = { warn: (text: string) => warnings.push(text), error() {} }
const open = (environment: Record<string, string> = {}) => createSettings({ file, environment, logger })
const saved = async () => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-settings-'))
  file = join(folder, 'home', 'config.json')
  warnings = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('createSettings', () => {
  it('refuses a token that is too short for a server that others can reach', async () => {
    const settings = createSettings({ file, environment: {}, logger, minApiTokenLength: 16 })
    await expect(settings.update({ api_token: '123456789012345' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await settings.update({ api_token: '1234567890123456' })
    await settings.update({ api_token: null })
  })

  it('A13: keeps config.json with mode 0600, whole, in a folder for this user alone', async () => {
    await open().update({ openai_api_key: 'sk-1', registry_url: 'https://store.example/r.json' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'home'))).mode & 0o777).toBe(0o700)
    await chmod(file, 0o644)
    await open().update({ store_base: 'https://store.example' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await saved()).toEqual({
      openai_api_key: 'sk-1',
      registry_url: 'https://store.example/r.json',
      store_base: 'https://store.example',
    })
  })

  it('A13: absent keeps, null and empty text clear', async () => {
    const settings = open()
    await settings.update({ openai_api_key: 'a', google_api_key: 'b', license_token: 'c' })
    await settings.update({ google_api_key: null, license_token: '' })
    expect(await settings.read()).toEqual({ openai_api_key: 'a' })
    expect(await saved()).toEqual({ openai_api_key: 'a' })
  })

  const addresses = [
    ['channel_a_api_base', 'channel_a_bot_token', 'telegram_bot_token'],
    ['channel_b_api_base', 'channel_b_bot_token', 'slack_bot_token'],
    ['channel_c_api_base', 'channel_c_bot_token', 'discord_bot_token'],
    ['channel_d_api_base', 'channel_d_bridge_secret', 'bridge_secret'],
    ['channel_d_bridge_url', 'channel_d_bridge_secret', 'bridge_secret'],
    ['channel_e_api_base', 'channel_e_auth_token', 'viber_auth_token'],
    ['registry_url', 'license_token', 'license_token'],
  ] as const
  it.each(addresses)('A13: a new address in %s gets no stored %s', async (address, secret, alias) => {
    const settings = open()
    const has = async () => (await settings.read())[secret] !== undefined
    await settings.update({ [address]: 'https://one.example/a', [secret]: 'stored' })
    await settings.update({ [address]: 'https://one.example/b' })
    expect(await has()).toBe(true)
    for (const other of [
      'http://one.example/b',
      'https://one.example:8443/b',
      'https://two.example/b',
      null,
    ]) {
      await settings.update({ [address]: other })
      expect([other, await has()]).toEqual([other, false])
      await settings.update({ [address]: 'https://one.example/b', [secret]: 'stored' })
    }
    await settings.update({ [address]: 'https://two.example', [secret]: 'given again' })
    expect((await settings.read())[secret]).toBe('given again')
    // under the other name that config.json may have it by, too
    await writeFile(file, JSON.stringify({ [address]: 'https://one.example', [alias]: 'stored' }))
    await settings.update({ [address]: 'https://two.example', [secret]: undefined })
    expect(await has()).toBe(false)
  })

  it.each(addresses)('A13: all addresses that secrets are sent to are known: %s', (address) => {
    const sentNoSecret = new Set(['store_base', 'public_url'])
    const all = Object.keys(settingRows).filter(
      (key) => /(?:_url|_base)$/.test(key) && !sentNoSecret.has(key),
    )
    expect(all).toContain(address)
    expect(all).toHaveLength(addresses.length)
  })

  it('A13: a first address leaves a secret that was sent nowhere, and not one that went to the platform', async () => {
    const settings = open()
    await settings.update({
      channel_d_bridge_secret: 'one',
      license_token: 'two',
      channel_a_bot_token: 'three',
    })
    await settings.update({
      channel_d_bridge_url: 'https://bridge.example',
      registry_url: 'https://store.example',
      channel_a_api_base: 'https://telegram.example',
    })
    expect(await settings.read()).toEqual({
      channel_d_bridge_secret: 'one',
      channel_d_bridge_url: 'https://bridge.example',
      license_token: 'two',
      registry_url: 'https://store.example',
      channel_a_api_base: 'https://telegram.example',
    })
  })

  it('A13: shows no secret, but whether it is there', async () => {
    const settings = open({ ANTHROPIC_API_KEY: 'sk-ant-secret' })
    await settings.update({
      channel_b_bot_token: 'xoxb-secret',
      channel_b_default_agent_id: 'helper',
      api_token: 'very-secret',
    })
    const view = await settings.view()
    expect(view).toMatchObject({
      has_anthropic_api_key: true,
      anthropic_configured: true,
      has_openai_api_key: false,
      openai_configured: false,
      has_channel_b_bot_token: true,
      channel_b_configured: false, // no signing secret
      channel_b_default_agent_id: 'helper',
      has_api_token: true,
    })
    expect(JSON.stringify(view)).not.toMatch(/xoxb|sk-ant|very-secret/)
    expect(inspect(settings, { depth: 9, showHidden: true })).not.toContain('sk-ant')
  })

  it.each(['two words', 'schlüssel', 'tab\tbed'])(
    'A13: takes no access token that no header carries, and lets nobody in for that: %j',
    async (api_token) => {
      await expect(open().update({ api_token })).rejects.toThrow('"api_token" must be')
      const reading = open({ API_TOKEN: api_token }).read()
      await expect(reading).rejects.toThrow('Reading the environment failed: API_TOKEN must be')
      await expect(reading).rejects.not.toThrow(api_token)
    },
  )

  it("A13: the environment wins over the file, by the documented name and by the platform's", async () => {
    const settings = open({
      OPENAI_API_KEY: 'env',
      TELEGRAM_BOT_TOKEN: 'tg',
      BRIDGE_URL: 'http://127.0.0.1:9',
      API_TOKEN: ' ',
    })
    const change = await settings.update({
      openai_api_key: 'file',
      api_token: 'file-token',
      channel_a_bot_token: null,
    })
    expect(change).toEqual({ overridden: ['openai_api_key', 'channel_a_bot_token'] })
    expect(await settings.update({ google_api_key: 'file' })).toEqual({ overridden: [] })
    await settings.update({ google_api_key: null })
    expect(await settings.read()).toEqual({
      openai_api_key: 'env',
      api_token: 'file-token',
      channel_a_bot_token: 'tg',
      channel_d_bridge_url: 'http://127.0.0.1:9',
    })
    expect(await saved()).toMatchObject({ openai_api_key: 'file' })
  })

  it('A13: refuses an unknown key or a bad value, and changes nothing', async () => {
    const settings = open()
    await settings.update({ openai_api_key: 'a' })
    for (const patch of [
      { opnai_api_key: 'x', google_api_key: 'y' },
      { registry_url: 'nonsense' },
      { api_token: 7 },
      null,
    ]) {
      await expect(settings.update(patch as never)).rejects.toMatchObject({ code: 'validation_error' })
    }
    await expect(settings.update({ nope: 1 } as never)).rejects.toThrow('unknown key "nope"')
    expect(await saved()).toEqual({ openai_api_key: 'a' })
  })

  it('warns of an unknown key in the file once, and keeps it', async () => {
    await open().update({ openai_api_key: 'a' })
    await writeFile(file, JSON.stringify({ openai_api_key: 'a', future_key: 1 }))
    const settings = open()
    expect(await settings.read()).toEqual({ openai_api_key: 'a' })
    await settings.update({ google_api_key: 'g' })
    await settings.read()
    expect(warnings).toEqual([expect.stringContaining('"future_key"')])
    expect(await saved()).toEqual({ openai_api_key: 'a', future_key: 1, google_api_key: 'g' })
  })

  it('A1: one setting has one value, by whatever name the file has it', async () => {
    await open().update({ openai_api_key: 'a' })
    await writeFile(file, JSON.stringify({ slack_bot_token: 'old' }))
    const settings = open()
    expect(await settings.read()).toEqual({ channel_b_bot_token: 'old' })
    await settings.update({ channel_b_bot_token: 'new' })
    expect(await saved()).toEqual({ channel_b_bot_token: 'new' })
  })

  it('sees a file that was edited by hand', async () => {
    const settings = open()
    await settings.update({ openai_api_key: 'a' })
    await settings.read()
    await writeFile(file, JSON.stringify({ openai_api_key: 'b' }))
    await utimes(file, 1, 1) // a clock that stands still would hide it
    expect(await settings.read()).toEqual({ openai_api_key: 'b' })
    await rm(file)
    expect(await settings.read()).toEqual({})
  })

  it('does not take a broken file for an empty one: a token in it would be gone', async () => {
    await open().update({ api_token: 'secret-token' })
    await writeFile(file, '{"api_token": "secret-token",}')
    const settings = open()
    await expect(settings.read()).rejects.toThrow('it is not valid JSON')
    await expect(settings.update({ openai_api_key: 'x' })).rejects.toMatchObject({ code: 'storage_error' })
    expect(await readFile(file, 'utf8')).toContain('secret-token')
    const error: unknown = await settings.read().catch((caught: unknown) => caught)
    expect(inspect(error)).not.toContain('secret-token')
    await writeFile(file, '{"registry_url": 5}')
    await expect(settings.read()).rejects.toThrow('"registry_url" must be a string')
    await writeFile(file, '[]')
    await expect(settings.read()).rejects.toThrow('one JSON object')
  })

  it('loses no change when many come at once', async () => {
    const settings = open()
    const keys = ['openai_api_key', 'anthropic_api_key', 'google_api_key', 'openrouter_api_key'] as const
    await Promise.all([
      ...keys.map((key) => settings.update({ [key]: key })),
      expect(settings.update({ wrong: '1' } as never)).rejects.toSatisfy(RuntimeError.is),
    ])
    expect(await settings.read()).toEqual(Object.fromEntries(keys.map((key) => [key, key])))
  })

  it('keeps changes in memory without a file', async () => {
    const settings = createSettings({ environment: {}, logger })
    await settings.update({ openai_api_key: 'a' })
    expect(await settings.read()).toEqual({ openai_api_key: 'a' })
  })

  it('reports a variable that cannot be used, without its value', async () => {
    expect(await open({ REGISTRY_URL: 'hunter2' }).read()).toEqual({})
    expect(warnings).toEqual([expect.stringContaining('REGISTRY_URL')])
    expect(warnings.join()).not.toContain('hunter2')
  })
})

describe('createSecrets', () => {
  it('knows secrets of the settings and of the environment, and gives the same list until one changes', async () => {
    const environment = {
      GITHUB_TOKEN: 'gh-12345678',
      DB_PASSWORD: 'short',
      PATH: '/usr/bin:/bin',
      PORT: '3010',
    }
    const settings = open(environment)
    const secrets = createSecrets(settings, environment)
    expect(await secrets()).toEqual(['gh-12345678'])
    expect(await secrets()).toBe(await secrets())
    await settings.update({ license_token: 'lic' })
    expect(await secrets()).toEqual(['lic', 'gh-12345678'])
  })
})
