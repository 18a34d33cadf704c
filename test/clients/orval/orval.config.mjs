export default {
  bursar: {
    input: '../openapi.json',
    output: {
      target: 'bursar.ts',
      client: 'fetch',
      override: { mutator: { path: 'fetch.ts', name: 'send', extension: '.ts' } },
    },
  },
}
