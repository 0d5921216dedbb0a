#!/bin/sh
# Makes the user and its folders, and has a service that runs take the new program. It starts
# nothing that was not running.
set -e

if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers shelly.conf
	systemd-tmpfiles --create shelly.conf
elif ! getent passwd shelly >/dev/null; then
	useradd --system --home-dir /var/lib/shelly --shell /usr/sbin/nologin shelly
fi
install -d -o shelly -g shelly -m 0750 /var/lib/shelly /var/lib/shelly/workspace
install -d -o shelly -g shelly -m 0700 /var/lib/shelly/data
chgrp shelly /etc/shelly/config.yaml

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart shelly.service
fi
