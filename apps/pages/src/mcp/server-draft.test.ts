import { expect, it } from 'vitest'
import { toServerInput, type ServerDraft } from './mcp-server-form.tsx'

const draft: ServerDraft = {
  name: 'demo',
  kind: 'program',
  command: 'node',
  args: 'server.mjs\n\n--port=1',
  url: 'http://127.0.0.1/mcp',
  secrets: 'API_KEY=a=b',
  tools: [],
  grant: 'client_credentials',
  clientId: 'me',
  clientSecret: '',
  scope: '',
  login: 'operator',
}

it('sends a program with its arguments and its environment, and nothing of an address', () => {
  expect(toServerInput(draft, '/srv')).toEqual({
    command: 'node',
    args: ['server.mjs', '--port=1'],
    cwd: '/srv',
    env: { API_KEY: 'a=b' },
  })
})

it('leaves secrets out that were not entered, so that the stored ones stay', () => {
  expect(toServerInput({ ...draft, kind: 'address', secrets: '', tools: ['one'] }, undefined)).toEqual({
    url: 'http://127.0.0.1/mcp',
    oauth: { grant_type: 'client_credentials', client_id: 'me' },
    tools: ['one'],
  })
})

it('sends that each user logs in only with the grant for persons', () => {
  const ofUser: ServerDraft = { ...draft, kind: 'address', secrets: '', login: 'user' }
  expect(toServerInput(ofUser, undefined)).not.toHaveProperty('login')
  expect(toServerInput({ ...ofUser, grant: 'authorization_code' }, undefined)).toMatchObject({
    login: 'user',
  })
})
