import { settingRows } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../settings/environment-settings.ts'
import { findCredential } from './find-credential.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** What a tool is given under a name, from an environment that the settings are read from too. */
function given(name: string, environment: Record<string, string>, config = {}): string | undefined {
  return findCredential(name, { environment, config, settings: readEnvironment(environment, logger) })
}

describe('A16: the platform’s own secrets', () => {
  it.each([
    'CHANNEL_A_BOT_TOKEN',
    'TELEGRAM_BOT_TOKEN',
    'SLACK_BOT_TOKEN',
    'SLACK_SIGNING_SECRET',
    'DISCORD_BOT_TOKEN',
    'BRIDGE_SECRET',
    'VIBER_AUTH_TOKEN',
    'LICENSE_TOKEN',
    'GEMINI_API_KEY',
    'API_TOKEN',
  ])('are given to no tool by their name, with white space around them neither: %s', (name) => {
    for (const value of ['4711:token', '4711:token ', '4711:token\r', '\t4711:token\n']) {
      expect(given(name, { [name]: value })).toBeUndefined()
      expect(given(name.toLowerCase(), { [name.toLowerCase()]: value })).toBeUndefined()
    }
    expect(given(name, {}, { [name]: '4711:token', [name.toLowerCase()]: '4711:token' })).toBeUndefined()
  })

  it('are every variable that becomes a secret setting', () => {
    const names = Object.entries(settingRows).flatMap(([key, { secret }]) => {
      const rest = key.replace(/^channel_[a-e]_(?:bridge_)?/, '').toUpperCase()
      const platforms = ['TELEGRAM', 'SLACK', 'DISCORD', 'BRIDGE', 'VIBER']
      return secret ? [key.toUpperCase(), ...platforms.map((platform) => `${platform}_${rest}`)] : []
    })
    const accepted = names.filter((name) => Object.keys(readEnvironment({ [name]: 'x' }, logger)).length > 0)
    expect(accepted.length).toBeGreaterThan(16)
    for (const name of accepted) expect(given(name, { [name]: 'x ' })).toBeUndefined()
  })

  it('are given under no other name, with white space around them neither', () => {
    for (const own of ['TELEGRAM_BOT_TOKEN', 'OPENAI_API_KEY', 'API_TOKEN']) {
      for (const [there, here] of [
        ['t', 't '],
        ['t\r', 't'],
        [' t', 't\n'],
      ] as const) {
        expect(given('DISGUISED', { [own]: there, DISGUISED: here })).toBeUndefined()
        expect(given('DISGUISED', { [own]: there }, { disguised: here })).toBeUndefined()
      }
    }
    // of two names for one setting the second is a secret too
    const both = { CHANNEL_A_BOT_TOKEN: 'first', TELEGRAM_BOT_TOKEN: 'second', DISGUISED: 'second' }
    expect(given('DISGUISED', both)).toBeUndefined()
  })

  it('leave the credentials of skills as they are', () => {
    const environment = {
      HOME_TOKEN: ' h ',
      TELEGRAM_BOT_TOKEN: 't',
      VIBER_AUTH_TOKEN: ' ',
      NODE_OPTIONS: 'o',
    }
    expect(given('HOME_TOKEN', environment)).toBe(' h ')
    expect(given('PIN', environment, { pin: 12 })).toBe('12')
    expect(given('OTHER', environment, { other: 'o' })).toBe('o')
    expect(given('TELEGRAM_CHAT', { ...environment, TELEGRAM_CHAT: '5' })).toBe('5')
    expect(given('NONE', environment)).toBeUndefined()
  })
})

it('finds no credential in what every object has', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'ToString']) {
    expect(given(name, {})).toBeUndefined()
    expect(given(name, process.env as Record<string, string>)).toBeUndefined()
  }
  expect(given('constructor', { constructor: 'c' })).toBe('c')
  expect(given('TOSTRING', {}, { tostring: 't' })).toBe('t')
})
