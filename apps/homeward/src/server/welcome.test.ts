import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { welcome, type WelcomeOptions } from './welcome.ts'

const options: WelcomeOptions = {
  cloudUrl: 'http://127.0.0.1:3000',
  networkUrls: [],
  publicUrl: undefined,
  deviceId: 'this-machine',
  hasLogin: false,
  filePath: '/srv/README.md',
  searched: 'integrator.md',
  agentsUrl: 'http://127.0.0.1:3010',
  needsToken: false,
  isPublic: false,
  demoModel: 'test/echo',
  hasDashboard: false,
  home: '/home/ann/.homeward',
}
const cloudLines = (text: string) => text.split('\n').filter((line) => line.includes(':3000/api/'))

it('prints lines about the device of this machine that need nothing filled in', () => {
  const lines = cloudLines(welcome(options))
  expect(lines).toHaveLength(5)
  expect(lines.join()).toContain('this-machine')
  expect(lines.join()).not.toMatch(/DEVICE_ID|TOKEN/)
})

it('where users log in, sends their token, says whose the device of this machine is, and names none of its', () => {
  const text = welcome({ ...options, hasLogin: true, isPublic: true })
  const lines = cloudLines(text)
  expect(lines).toHaveLength(5)
  for (const line of lines) expect(line).toContain('-H "Authorization: Bearer $ACCESS_TOKEN"')
  expect(text).toContain('ACCESS_TOKEN')
  expect(text).toContain('the user "local"')
  expect(text).not.toContain('this-machine')
  expect(text).not.toContain('It has no login')
})

it('prints lines that a shell takes as they are meant, wherever the repository lies', () => {
  const filePath = `/srv/o'brien/"two  spaces"/README.md`
  const line = welcome({ ...options, filePath })
    .split('\n')
    .find((each) => each.includes('filePath'))
  const [, argument = ''] = /-d (.*)$/.exec(line ?? '') ?? []
  const seen = execFileSync('sh', ['-c', `printf %s ${argument}`], { encoding: 'utf8' })
  expect(JSON.parse(seen)).toEqual({ filePath, destination: 'cloud', deviceIds: ['this-machine'] })
})

it('says where the data home is, and that the model of the demo agent needs nobody', () => {
  expect(welcome(options)).toContain('Data home: /home/ann/.homeward.')
  expect(welcome(options)).toContain('(model: test/echo, built in)')
  expect(welcome({ ...options, demoModel: 'openai/gpt' })).toContain('(model: openai/gpt)')
})

it('shows where devices in the network reach the device cloud, with a QR code, or how to let them', () => {
  expect(welcome(options)).toContain('CLOUD_HOST=0.0.0.0')
  const text = welcome({ ...options, networkUrls: ['http://192.0.2.7:3000', 'http://192.0.2.8:3000'] })
  expect(text).toContain('reach it at: http://192.0.2.7:3000   (or http://192.0.2.8:3000)')
  expect(text).toContain('ask for an API token')
  expect(text).toMatch(/[▀▄█]{10}/)
  const behindProxy = welcome({ ...options, publicUrl: 'https://cloud.example/', hasLogin: true })
  expect(behindProxy).toContain('shows: https://cloud.example/pair')
})
