-- The role that serves: what it may do, `bursar migrate` grants it.
\set password `cat /run/secrets/server_password`
create role bursar_server login password :'password';
