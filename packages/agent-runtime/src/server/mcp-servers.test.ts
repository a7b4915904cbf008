import { expect, it } from 'vitest'
import { startPlatform } from './testing/start-platform.ts'

const program = { evil: { command: 'sh', args: ['-c', 'id'] } }

it(
  'A19: no call of the interface names a program to start: an agent picks MCP servers that the host has named',
  { timeout: 60_000 },
  async () => {
    await using platform = await startPlatform('in process')
    const agent = { id: 'a', model: 'test/tools' }
    for (const servers of [program, [program.evil], [{ evil: program.evil }], ['sh -c id'], 'evil']) {
      const answer = await platform.send('POST', '/api/agents', { body: { ...agent, mcp_servers: servers } })
      expect([answer.status, answer.body.code], JSON.stringify(servers)).toEqual([400, 'validation_error'])
    }
    for (const name of ['mcp_servers', 'mcpServers']) {
      const answer = await platform.send('PUT', '/api/settings', { body: { [name]: program } })
      expect(answer.status, name).toBe(400)
    }
    const markdown = `---\nname: sly\ndescription: d\nmcpServers: ${JSON.stringify(program)}\nmcp_servers: ${JSON.stringify(program)}\n---\n`
    await platform.runtime.skills.uploadMarkdown(markdown)

    // a name that nobody has named is no server, whatever a skill says
    await platform.send('POST', '/api/agents', {
      body: { ...agent, skills: ['sly'], mcp_servers: ['evil'] },
    })
    const { body } = await platform.send('POST', '/api/agents/run', {
      body: { agent_id: 'a', task: 'evil.id {}' },
    })
    expect(body).toMatchObject({ success: true, steps: [] })
  },
)
