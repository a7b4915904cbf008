/** The part of the row of `/metrics` that both interfaces share. */
export const metricsCall = {
  method: 'GET',
  path: '/metrics',
  source: 'Prometheus text exposition format, version 0.0.4',
  summary: 'Gives what the server measures, for Prometheus. 501 where the host does not measure.',
  reply: 'text',
  errors: [501],
} as const
