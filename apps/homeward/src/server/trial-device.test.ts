import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { registerTrialDevice } from './trial-device.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-trial-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const createTestCloud = (store = createMemoryStore()) =>
  createDeviceCloud({ store, blobs: createMemoryBlobs(), sessions: createSingleUserSessions() })

it('makes one device of this machine, however often it is started, and another one when that was deleted', async () => {
  await using cloud = createTestCloud()
  const first = await registerTrialDevice(cloud, home)
  const again = await registerTrialDevice(cloud, home)
  expect(again.id).toBe(first.id)
  expect(again.apiKey.reveal()).not.toBe(first.apiKey.reveal())
  await cloud.deleteDevice({ userId: 'local' }, first.id)
  expect((await registerTrialDevice(cloud, home)).id).not.toBe(first.id)
})

it('makes no second device of it when the store fails for a moment', async () => {
  const store = createMemoryStore()
  await using cloud = createTestCloud(store)
  await registerTrialDevice(cloud, home)
  let isBroken = true
  const broken: typeof store = {
    ...store,
    rotateKey: (...args) => {
      if (isBroken) throw new Error('The disk is full')
      return store.rotateKey(...args)
    },
  }
  await using failing = createTestCloud(broken)
  await expect(registerTrialDevice(failing, home)).rejects.toThrow('The disk is full')
  isBroken = false
  await registerTrialDevice(failing, home)
  const { devices } = await cloud.listDevices({ userId: 'local' })
  expect(devices).toHaveLength(1)
})
