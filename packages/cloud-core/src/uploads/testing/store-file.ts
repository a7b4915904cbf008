import type { UserCall } from '../../context/cloud-context.ts'
import type { DeviceCloud } from '../../cloud/create-device-cloud.ts'

/** Has a new device of a user send a file. @returns the id that it is kept under. */
export async function storeFile(cloud: DeviceCloud, user: UserCall, content: string): Promise<string> {
  const registered = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
  const { device, apiKey } = await cloud.registerDevice(user, registered)
  const asked = await cloud.createUploads(user, { deviceIds: [device.id], filePath: '/a.txt' })
  const form = new FormData()
  form.set('requestId', asked.uploadRequests[0]?.id ?? '')
  form.set('file', new Blob([content]), 'a.txt')
  const address = 'http://localhost/api/devices/files/upload'
  const headers = { authorization: `Bearer ${apiKey}` }
  const reply = await cloud.fetch(new Request(address, { method: 'POST', headers, body: form }))
  const { fileUrl } = (await reply.json()) as { fileUrl: string }
  return fileUrl.split('/').at(-2) ?? ''
}
