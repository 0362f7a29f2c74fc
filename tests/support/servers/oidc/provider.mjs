// A real OpenID provider on a loopback port, with the login and consent pages it has for
// developers. Prints its address as one line of JSON; ends when its stdin does.
//
//   node provider.mjs '{"lifetime": 300}'

import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const settings = { lifetime: 300, ...JSON.parse(process.argv[2] ?? '{}') };

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'commodore',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      redirect_uris: ['http://localhost:18000'],
      response_types: ['code'],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
    },
  ],
  claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
  features: { deviceFlow: { enabled: true } },
  pkce: { required: () => true },
  issueRefreshToken: async (ctx, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  ttl: { IdToken: settings.lifetime },
});

provider.use(async (ctx, next) => {
  await next();
  // Five seconds between questions are usual, and too long for a test.
  if (ctx.body?.device_code) ctx.body.interval = 0.2;
});

server.on('request', provider.callback());
console.log(JSON.stringify({ issuer }));

process.stdin.on('end', () => process.exit(0)).resume();
