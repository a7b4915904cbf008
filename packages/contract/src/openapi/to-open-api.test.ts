import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { Device, SearchQuery, SearchReport, SearchResults, Upload } from '../device-cloud/index.ts'
import { deviceCloudOperations } from '../device-cloud/operations.ts'
import type { Operation } from '../operation.ts'
import { toOpenApi } from './to-open-api.ts'

const deviceCloud = toOpenApi({
  operations: deviceCloudOperations,
  title: 'Device cloud',
  version: '1.0.0',
  schemas: { Device, SearchQuery, SearchReport, SearchResults, Upload },
})

const row: Operation = {
  method: 'POST',
  path: '/things/{id}',
  auth: 'public',
  summary: 'Changes a thing.',
  source: 'test',
  params: z.object({ id: z.string() }),
  reply: z.object({ changed: z.boolean() }),
}
const describeRow = (operation: Operation, schemas = {}) => {
  return toOpenApi({ operations: { changeThing: operation }, schemas, title: 'Things', version: '1' })
}

describe('toOpenApi', () => {
  it('gives a document that an independent linter finds nothing wrong with', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: JSON.stringify(deviceCloud), config })
    // Given by the interface: `/devices/{id}/key` and `/devices/enrollments/{id}`. A path of plain words goes first (C28).
    const problems = found.filter(({ ruleId }) => ruleId !== 'no-ambiguous-paths')
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    )
  })

  it('has every operation of the table under its id, and no other', () => {
    const found = Object.values(deviceCloud.paths ?? {}).flatMap((methods) => {
      return [methods.get, methods.post, methods.put, methods.patch, methods.delete].flatMap(
        (operation) => operation?.operationId ?? [],
      )
    })
    expect(found.toSorted()).toEqual(Object.keys(deviceCloudOperations).toSorted())
  })

  it('A26: names the scope of an operation for local callers', () => {
    const scoped = describeRow({ ...row, auth: 'local', scope: 'approve', subject: 'none' })
    expect(scoped.paths?.['/things/{id}']?.post).toMatchObject({ 'x-scope': 'approve' })
    expect(describeRow(row).paths?.['/things/{id}']?.post).not.toHaveProperty('x-scope')
  })

  it('describes query parameters as what their text means, and all of them as optional', () => {
    const parameters = deviceCloud.paths?.['/api/devices/search/query']?.get?.parameters
    expect(parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500 },
    })
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'status',
        schema: { type: 'string', enum: ['pending', 'completed', 'failed'] },
      }),
    )
    expect(parameters?.filter((parameter) => 'required' in parameter && parameter.required)).toEqual([])
  })

  it('C22: documents the header that holds a list and the one that says so', () => {
    const operation = deviceCloud.paths?.['/api/devices/search/pending']?.get
    expect(operation?.parameters).toContainEqual(expect.objectContaining({ name: 'Prefer', in: 'header' }))
    expect(operation?.responses?.['200'].headers).toHaveProperty('Preference-Applied')
  })

  it('C26: documents the parts of a file, and what names it', () => {
    const download = deviceCloud.paths?.['/api/devices/files/{id}/{fileName}']?.get
    expect(download?.parameters).toContainEqual(expect.objectContaining({ name: 'Range', in: 'header' }))
    expect(Object.keys(download?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '206', '304', '416']),
    )
    expect(download?.responses?.['206'].headers).toHaveProperty('Content-Range')
    expect(download?.responses?.['200'].headers).toHaveProperty('ETag')
  })

  it('C12: documents Retry-After with 429, for devices', () => {
    const report = deviceCloud.paths?.['/api/devices/search']?.post
    expect(Object.keys(report?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '413',
      '415',
      '429',
      '500',
      '503',
    ])
    expect(report?.responses?.['429'].headers).toHaveProperty('Retry-After')
  })

  it('C6: describes an upload as form parts, of which only the id of the request is required', () => {
    const body = deviceCloud.paths?.['/api/devices/files/upload']?.post?.requestBody
    expect(body).toMatchObject({
      content: {
        'multipart/form-data': {
          schema: {
            required: ['requestId'],
            properties: {
              requestId: { type: 'string' },
              error: { type: 'string' },
              file: { contentMediaType: 'application/octet-stream' },
            },
          },
        },
      },
    })
  })

  it('tells who may call: a key, a session, anybody', () => {
    expect(deviceCloud.paths?.['/api/devices/heartbeat']?.post?.security).toEqual([{ device: [] }])
    expect(deviceCloud.paths?.['/api/devices']?.get?.security).toEqual([{ session: [] }])
    expect(Object.keys(deviceCloud.components?.securitySchemes ?? {}).toSorted()).toEqual([
      'device',
      'enrolling',
      'session',
    ])
    const open = describeRow(row)
    expect(open.paths?.['/things/{id}']?.post?.security).toEqual([])
    expect(open.components?.securitySchemes).toBeUndefined()
  })

  it('refers to named schemas, wherever they stand', () => {
    const listed =
      deviceCloud.paths?.['/api/devices']?.get?.responses?.['200'].content['application/json'].schema
    expect(listed.properties.devices.items).toEqual({ $ref: '#/components/schemas/Device' })
    expect(deviceCloud.components?.schemas?.['SearchQuery']).toMatchObject({
      properties: { results: { anyOf: [{ $ref: '#/components/schemas/SearchResults' }, { type: 'null' }] } },
    })
    expect(JSON.stringify(deviceCloud)).not.toContain('$defs')
  })

  it('names the two sides of a schema apart where a default makes them differ', () => {
    const Thing = z.object({ size: z._default(z.int(), 1) })
    const document = describeRow({ ...row, body: Thing, reply: Thing }, { Thing })
    expect(document.components?.schemas?.['ThingInput']).not.toHaveProperty('required')
    expect(document.components?.schemas?.['Thing']).toHaveProperty('required', ['size'])
    const body = document.paths?.['/things/{id}']?.post?.requestBody
    expect(body).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ThingInput' } } },
    })
  })

  it('says date-time instead of a pattern, and forbids only keys of requests that reject unknown ones', () => {
    const text = JSON.stringify(deviceCloud)
    expect(deviceCloud.components?.schemas?.['Device']).toHaveProperty('properties.createdAt', {
      type: 'string',
      format: 'date-time',
    })
    const inReplies = JSON.stringify(deviceCloud, (key, value: unknown) =>
      key === 'requestBody' ? 0 : value,
    )
    expect(text).toContain('"additionalProperties":false')
    expect(inReplies).not.toContain('"additionalProperties":false')
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
  })

  it('refuses a schema that JSON cannot express', () => {
    expect(() => describeRow({ ...row, reply: z.object({ at: z.date() }) })).toThrow(/changeThing.*Date/s)
  })
})
