/** The part of the row of `/metrics` that both interfaces share. */
export const metricsCall = {
  method: 'GET',
  path: '/metrics',
  source: 'Prometheus text exposition format, version 0.0.4',
  summary: 'Returns the metrics of the server for Prometheus. 501 if your app collects no metrics.',
  reply: 'text',
  errors: [501],
} as const
