import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'

/** Ends TLS in front of a port of this process, as a proxy on the same machine does: its CPU time counts with the server's. */
export async function serveTls(port: number, plainPort: number, folder: string): Promise<void> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost']
  const files = ['-keyout', key, '-out', cert, '-days', '2']
  if (!existsSync(cert)) execFileSync('openssl', ['req', '-x509', ...curve, ...files], { stdio: 'ignore' })
  const proxy = createServer({ key: await readFile(key), cert: await readFile(cert) }, (outside) => {
    const inside = connect(plainPort, '127.0.0.1')
    outside.pipe(inside).pipe(outside)
    outside.on('error', () => inside.destroy())
    inside.on('error', () => outside.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen({ port, host: '127.0.0.1', backlog: 8192 }, resolve))
}
