import { expect, it } from 'vitest'
import { readSettings, takeSettings } from './settings.ts'

const bucket = {
  S3_ENDPOINT: 'https://s3.example/files',
  S3_ACCESS_KEY_ID: 'key-id',
  S3_SECRET_ACCESS_KEY: 'bucket-secret',
}
const drive = { DRIVE_KEY_FILE: '/etc/drive.json', DRIVE_FOLDER_ID: 'folder' }
const signIn = { OIDC_CLIENT_SECRET: 'client-secret', SESSION_SECRET: 'a secret of at least 32 characters' }
const client = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'homeward' }
const secrets = {
  DATABASE_URL: 'postgres://homeward:password@db/homeward',
  PRESENCE_DATABASE_URL: 'postgres://homeward:password@db/presence',
  ...bucket,
  ...drive,
  ...client,
  ...signIn,
}

it('takes the secrets of the server out of the environment that skills may name, and nothing else', () => {
  const environment = {
    ...secrets,
    PATH: '/bin',
    WEATHER_KEY: 'for a skill',
    OPENAI_API_KEY: 'for the runtime',
  }
  const settings = takeSettings(environment)
  expect(settings).toEqual(readSettings(secrets))
  expect(settings.cloud.s3?.secretAccessKey).toBe('bucket-secret')
  expect(environment).toEqual({
    PATH: '/bin',
    WEATHER_KEY: 'for a skill',
    OPENAI_API_KEY: 'for the runtime',
    S3_ENDPOINT: bucket.S3_ENDPOINT,
    DRIVE_FOLDER_ID: 'folder',
    ...client,
  })
})

it('reads who may sign in, and names the provider by its host', () => {
  expect(readSettings({ ...client, OIDC_ADMINS: 'ann@example.com, 42' }).cloud.oidc).toEqual({
    issuer: 'https://login.example',
    audience: undefined,
    clients: undefined,
    signIn: {
      issuer: 'https://login.example',
      clientId: 'homeward',
      clientSecret: undefined,
      name: 'login.example',
      admins: ['ann@example.com', '42'],
      sessionSecret: undefined,
    },
  })
})

it.each([
  ['http://login.example', false],
  ['http://127.0.0.1.example', false],
  ['http://localhost.example:80/a', false],
  ['http://localhost:8080/realms/home', true],
  ['http://[::1]', true],
])('takes an identity provider over http on this machine only: %s, %s', (OIDC_ISSUER, isAccepted) => {
  const read = () => readSettings({ ...client, OIDC_ISSUER })
  if (isAccepted) expect(read().cloud.oidc?.issuer).toBe(OIDC_ISSUER)
  else expect(read).toThrow('OIDC_ISSUER: must be an https:// address; http:// on this machine only')
})

it('takes each address of Postgres that its library takes', () => {
  for (const DATABASE_URL of [
    'postgresql://db/homeward',
    'postgres:///homeward',
    'postgres://ann@/db?host=/run',
  ])
    expect(readSettings({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
})

it('refuses a presence database without a database', () => {
  const { PRESENCE_DATABASE_URL } = secrets
  expect(() => readSettings({ PRESENCE_DATABASE_URL })).toThrow(
    'DATABASE_URL: is required if PRESENCE_DATABASE_URL is set',
  )
})

it('leaves an environment alone that it refuses', () => {
  const environment = { DATABASE_URL: 'mysql://x' }
  expect(() => takeSettings(environment)).toThrow('DATABASE_URL')
  expect(environment).toEqual({ DATABASE_URL: 'mysql://x' })
})
